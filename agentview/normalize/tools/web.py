"""The web: arguments of web_fetch and web_search, and their plain results."""

import re

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import WebFetchPayload, WebSearchPayload
from agentview.domain.tool_results import WebFetchResult, WebHit, WebSearchResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    collect,
    first,
    items,
    mapping,
    number,
    real,
    text,
    texts,
)
from agentview.normalize.output_text import text_of

_URL = re.compile(r"https?://[^\s<>\"')\]]+")


def fetch(fields: Fields) -> WebFetchPayload:
    """Fetch a page; the URL may stand inside the prompt."""
    prompt = text(fields, "prompt", "question", "instruction")
    url = text(fields, "url", "uri", "link", "href", "Url")
    if url is None:
        found = _URL.search(prompt or "")
        url = found[0] if found is not None else ""
    return WebFetchPayload(url=url, prompt=prompt)


def search(fields: Fields) -> WebSearchPayload:
    """Search the web; several queries stand on lines of their own."""
    listed = texts(fields.get("queries"))
    query = text(fields, "query", "search_term", "searchTerm", "q", "search_query", "prompt")
    return WebSearchPayload(
        query=query if query is not None else "\n".join(listed),
        allowed_domains=texts(first(fields, "allowed_domains", "allowedDomains", "domains")),
        blocked_domains=texts(first(fields, "blocked_domains", "blockedDomains")),
    )


def hit(fields: Fields) -> WebHit | None:
    """One result of a search; None without a URL."""
    url = text(fields, "url", "link", "uri")
    if url is None:
        return None
    return WebHit(
        title=text(fields, "title", "name") or "",
        url=url,
        excerpt=text(fields, "snippet", "excerpt", "description", "text", "content"),
    )


def fetch_result(call: ToolCall, outcome: ToolResult) -> WebFetchResult | None:
    """The page as text, with what is known about the answer."""
    fields = mapping(outcome.structured)
    content = text(fields, "markdown", "content", "text", "result")
    if content is None:
        content = text_of(outcome.output)
    if content is None or outcome.ok is False:
        return None
    payload = call.payload
    asked = payload.url if isinstance(payload, WebFetchPayload) else ""
    return WebFetchResult(
        url=text(fields, "url") or asked or None,
        status=number(fields, "status", "code", "statusCode"),
        byte_size=number(fields, "bytes"),
        title=text(fields, "title"),
        text=content,
    )


def search_result(_call: ToolCall, outcome: ToolResult) -> WebSearchResult | None:
    """Hits of a structured result, else the text as it came."""
    fields = mapping(outcome.structured)
    hits = collect(items(first(fields, "results", "items", "hits", "references")), hit)
    content = text_of(outcome.output)
    if outcome.ok is False or (content is None and not hits):
        return None
    return WebSearchResult(hits=hits, text=content, duration=real(fields, "durationSeconds"))
