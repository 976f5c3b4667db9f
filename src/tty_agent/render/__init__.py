"""Pictures and recordings of a screen: PNG, GIF, HTML, asciicast, text.

`export` makes files from traces and transcripts, for commands; `png`, `gif`, `html` and `cast` make them from
pictures. `recording` and `replay` say what a transcript showed, `pace` when. numpy, Pillow and pyansilove (the
extra `render`) are imported with the first PNG or GIF, and by nothing else.
"""
