import type { ToolCall } from '../prompt/message.ts';
import type { ToolResult } from '../run/signal.ts';

/** A call that is answered with a text and nothing else. */
export function output(call: ToolCall, text: string): ToolResult {
  return { callId: call.id, kind: 'output', output: text, read: null };
}
