"""Campaigns: many matches in a fair schedule, resumable, on one machine or many."""
