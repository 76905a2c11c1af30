"""Real clients against a scripted model on loopback: does agentview show what they do?"""
