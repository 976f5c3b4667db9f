"""The features that come with the house, each a plugin as others could write it."""
