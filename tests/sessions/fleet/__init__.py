"""Tests of sessions of other machines."""
