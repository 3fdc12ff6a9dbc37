"""Small logs of our own writing."""


def claude(command="head /data/shop/source/sales.csv", answer="5", *, session="one", result=True, prompt=""):
    """One small session of Claude Code's stream."""
    call = {"type": "tool_use", "id": f"t-{session}", "name": "Bash", "input": {"command": command}}
    usage = {"input_tokens": 1, "output_tokens": 1}
    yield {"type": "system", "subtype": "init", "session_id": session, "cwd": "/w", "model": "claude-sonnet-4-5"}
    if prompt:
        yield {"type": "user", "message": {"role": "user", "content": prompt}}
    yield {"type": "assistant", "message": {"id": f"m-{session}", "content": [call], "usage": usage}}
    came = {"type": "tool_result", "tool_use_id": f"t-{session}", "content": "a,b\n", "is_error": False}
    yield {"type": "user", "message": {"content": [came]}, "tool_use_result": {"stdout": "a,b\n", "stderr": ""}}
    said = [{"type": "text", "text": answer}]
    yield {"type": "assistant", "message": {"id": f"n-{session}", "content": said, "usage": usage}}
    if result:
        total = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 50}
        end = {"type": "result", "subtype": "success", "is_error": False, "result": answer, "usage": total}
        yield {**end, "total_cost_usd": 0.25, "num_turns": 2, "duration_ms": 1500}
