"""Boards and charts as SVG."""
