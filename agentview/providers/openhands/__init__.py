"""OpenHands: conversations of its SDK, and trajectories of before it (V0)."""
