"""What a browser is told to hold a page to."""

from __future__ import annotations

from typing import Final


def policy(*, script: str = "'self'", ancestors: str = "'none'") -> str:
    """A Content-Security-Policy: nothing but this site's own files, no inline script or style, no frame around."""
    return (
        f"default-src 'none'; script-src {script}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}"
    )


PAGE: Final = {
    "Content-Security-Policy": policy(),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",
}
"""Of every page."""

EMBEDDED: Final = {
    **{name: value for name, value in PAGE.items() if name != "Cross-Origin-Opener-Policy"},
    "Content-Security-Policy": policy(ancestors="*"),
}
"""Of a page that others may put into a frame: it has no form and knows no reader."""

PLAYBACK: Final = {**PAGE, "Content-Security-Policy": policy(script="'self' 'wasm-unsafe-eval'")}
"""Of a page with the terminal player, which is WebAssembly."""
