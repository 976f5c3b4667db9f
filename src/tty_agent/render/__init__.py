"""Pictures and recordings of a screen: PNG, GIF, HTML, asciicast, text."""
