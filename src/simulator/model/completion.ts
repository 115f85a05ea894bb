import type { ChatRequest, ModelTurn, ScriptedCall, ScriptedUsage } from './script.ts';

/** A `chat.completion` object for a turn. `serial` makes its ids unique, `now` is in milliseconds. */
export function completion(turn: ModelTurn, request: ChatRequest, serial: number, now: number): unknown {
  const calls = turn.calls ?? [];
  const message = {
    role: 'assistant',
    content: turn.content ?? null,
    refusal: turn.refusal ?? null,
    annotations: [],
    ...(calls.length > 0 ? { tool_calls: calls.map((call, index) => wireCall(call, `call_${serial}_${index}`)) } : {}),
  };
  const finishReason = turn.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return {
    ...envelope(request, serial, now),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage: usage(turn.usage ?? {}, JSON.stringify(request.body), JSON.stringify(message)),
  };
}

/** A completion in which nobody said anything. */
export function emptyCompletion(request: ChatRequest, serial: number, now: number): unknown {
  return { ...envelope(request, serial, now), choices: [], usage: usage({}, JSON.stringify(request.body), '') };
}

function envelope(request: ChatRequest, serial: number, now: number): Readonly<Record<string, unknown>> {
  return { id: `chatcmpl-${serial}`, object: 'chat.completion', created: Math.floor(now / 1000), model: request.model };
}

function wireCall(call: ScriptedCall, madeUpId: string): unknown {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return { id: call.id ?? madeUpId, type: 'function', function: { name: call.name, arguments: text } };
}

const CHARACTERS_PER_TOKEN = 4;

function usage(scripted: ScriptedUsage, asked: string, said: string): unknown {
  const prompt = scripted.promptTokens ?? Math.ceil(asked.length / CHARACTERS_PER_TOKEN);
  const answer = scripted.completionTokens ?? Math.ceil(said.length / CHARACTERS_PER_TOKEN);
  return {
    prompt_tokens: prompt,
    completion_tokens: answer,
    total_tokens: prompt + answer,
    prompt_tokens_details: { cached_tokens: scripted.cachedTokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}
