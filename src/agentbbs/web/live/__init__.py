"""What happens now, told to any number of readers by server-sent events."""
