"""Screens as one HTML page that needs nothing else: no script, style, font or picture from anywhere.

With a script the page steps through the frames (buttons, arrow keys, space to play); without one it shows them
below each other. All text is escaped, and a policy in the page keeps it from loading anything.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from tty_agent.render.palette import DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, VGA, css, seen
from tty_agent.render.runs import runs
from tty_agent.terminal import style
from tty_agent.terminal.inert import inert
from tty_agent.terminal.picture import Picture

_STYLE: Final = f"""\
body{{background:#1c1c1c;color:#ccc;font:14px sans-serif;margin:1em}}
pre{{display:inline-block;margin:0;padding:8px;background:{css(VGA[DEFAULT_BACKGROUND])};
color:{css(VGA[DEFAULT_FOREGROUND])};font:16px/1.15 "DejaVu Sans Mono",Consolas,Menlo,monospace;
font-variant-ligatures:none}}
figure{{margin:0 0 1em}}
figcaption{{padding:4px 0;white-space:pre-wrap}}
.u{{text-decoration:underline}}.s{{text-decoration:line-through}}.u.s{{text-decoration:underline line-through}}
.i{{font-style:italic}}
.c{{box-shadow:inset 0 -3px #fff}}
nav[hidden]{{display:none}}
button{{font:inherit}}
"""

_SCRIPT: Final = """\
(function(){
var frames=document.querySelectorAll("figure"),nav=document.querySelector("nav"),at=0,timer=0;
var slider=nav.querySelector("input"),count=nav.querySelector("output");
var pause=Number(nav.dataset.ms);
function show(n){
at=Math.max(0,Math.min(frames.length-1,n));
frames.forEach(function(f,i){f.hidden=i!==at});
slider.value=at;count.textContent=(at+1)+" / "+frames.length;
}
function stop(){clearInterval(timer);timer=0}
function play(){
if(timer){stop();return}
if(at===frames.length-1){show(0)}
timer=setInterval(function(){show(at+1);if(at===frames.length-1){stop()}},pause);
}
nav.querySelector(".back").onclick=function(){stop();show(at-1)};
nav.querySelector(".next").onclick=function(){stop();show(at+1)};
nav.querySelector(".play").onclick=play;
slider.max=frames.length-1;
slider.oninput=function(){stop();show(Number(slider.value))};
document.addEventListener("keydown",function(e){
if(e.target===slider){return}
if(e.key==="ArrowLeft"){stop();show(at-1)}
else if(e.key==="ArrowRight"){stop();show(at+1)}
else if(e.key===" "&&e.target.tagName!=="BUTTON"){e.preventDefault();play()}
});
nav.hidden=false;show(0);
})();
"""

_NAV: Final = (
    '<nav hidden data-ms="{ms}"><button class="back">back</button> <button class="play">play</button> '
    '<button class="next">next</button> <input type="range" min="0" value="0" aria-label="frame"> '
    "<output></output></nav>\n"
)

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


class HtmlFrame(msgspec.Struct, frozen=True):
    """A picture and a line over it; the line is made inert and escaped here."""

    picture: Picture
    caption: str = ""


def html_page(
    frames: Iterable[HtmlFrame], *, title: str = "Terminal", duration_ms: int = 500, cursor: bool = True
) -> str:
    """A whole page; `duration_ms` is how long a frame stays while it plays."""
    return "".join(page_parts(frames, title=title, duration_ms=duration_ms, cursor=cursor))


def page_parts(
    frames: Iterable[HtmlFrame], *, title: str = "Terminal", duration_ms: int = 500, cursor: bool = True
) -> Iterator[str]:
    """The page piece by piece, so that a long one never is in memory."""
    heading = html.escape(inert(title))
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(_POLICY)}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{heading}</title>\n'
        f"<style>\n{_STYLE}</style></head>\n<body>\n<h1>{heading}</h1>\n" + _NAV.format(ms=int(duration_ms))
    )
    for frame in frames:
        caption = f"<figcaption>{html.escape(inert(frame.caption))}</figcaption>" if frame.caption else ""
        yield f"<figure>{caption}{pre(frame.picture, cursor=cursor)}</figure>\n"
    yield f"<script>\n{_SCRIPT}</script>\n</body></html>\n"


def pre(picture: Picture, *, cursor: bool = True) -> str:
    """One picture as a `<pre>`, its colours as inline styles."""
    rows = [_row(picture, row, cursor=cursor and picture.cursor_visible) for row in range(picture.rows)]
    return f'<pre style="min-width:{picture.columns}ch">' + "\n".join(rows) + "</pre>"


def _row(picture: Picture, row: int, *, cursor: bool) -> str:
    """A row; blanks at its end that show nothing are left out, and the cell of the cursor stands alone."""
    end = _end(picture, row)
    cuts = [0, end]
    at_row, at = picture.cursor
    here = cursor and at_row == row and 0 <= at < picture.columns
    if here:
        after = at + 1
        while after < picture.columns and picture.characters[row][after] == "":
            after += 1
        cuts = [0, at, after, max(end, after)]
    parts: list[str] = []
    for place in range(len(cuts) - 1):
        for attributes, text in runs(picture, row, cuts[place], cuts[place + 1]):
            parts.append(_span(picture, attributes, text, cursor=here and place == 1))
    return "".join(parts)


def _end(picture: Picture, row: int) -> int:
    end = picture.columns
    cells, look = picture.characters[row], picture.attributes[row]
    while end and cells[end - 1] == " " and look[end - 1] == style.PLAIN:
        end -= 1
    return end


def _span(picture: Picture, attributes: int, text: str, *, cursor: bool) -> str:
    escaped = html.escape(text, quote=False)
    if attributes == style.PLAIN and not cursor:
        return escaped
    front, back = seen(attributes, bright_backgrounds=picture.bright_backgrounds)
    looks = [f"color:{css(front)}"] if front != VGA[DEFAULT_FOREGROUND] else []
    if back != VGA[DEFAULT_BACKGROUND]:
        looks.append(f"background:{css(back)}")
    flags = ((style.UNDERLINE, "u"), (style.STRIKE, "s"), (style.ITALIC, "i"))
    classes = [name for flag, name in flags if attributes & flag] + (["c"] if cursor else [])
    named = f' class="{" ".join(classes)}"' if classes else ""
    styled = f' style="{";".join(looks)}"' if looks else ""
    return f"<span{named}{styled}>{escaped}</span>"
