import type { ToolCall } from './conversation.ts';

/** Names one call of a run. Ids can repeat in later responses. */
export type CallRef = { readonly turn: number; readonly callId: string };

/** A call of the model, with the number of its response. */
export type IssuedCall = {
  readonly turn: number;
  readonly toolCall: ToolCall;
  /** The response ended at its length limit within or after this call, so its arguments can be incomplete. */
  readonly isCut: boolean;
};

/** A valid call that people do not see yet. It is shown together with later changes. */
export type HeldCall = IssuedCall & { readonly path: string };

export function refOf({ turn, toolCall }: IssuedCall): CallRef {
  return { turn, callId: toolCall.id };
}

export function isSameCall(left: CallRef, right: CallRef): boolean {
  return left.turn === right.turn && left.callId === right.callId;
}

/** Whether two lists of calls have one in common. */
export function sharesCall(left: readonly CallRef[], right: readonly CallRef[]): boolean {
  return left.some((one) => right.some((other) => isSameCall(one, other)));
}

/** The call without its progress. */
export function toIssuedCall({ turn, toolCall, isCut }: IssuedCall): IssuedCall {
  return { turn, toolCall, isCut };
}
