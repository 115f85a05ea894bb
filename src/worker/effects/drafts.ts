import type { TextStep } from '../../core/edits/build-text.ts';
import type { CallRef } from '../../core/state/calls.ts';
import type { ToolResult } from '../../core/state/signals.ts';
import type { GatedToolName } from '../../core/state/tools.ts';

/** What one call adds to a change. */
export type DraftPart = {
  /** Its place in the batch. */
  readonly index: number;
  readonly call: CallRef;
  readonly tool: GatedToolName;
  readonly reason: string | null;
  /** Null for a deletion or a move, and for a call that repeats another one. */
  readonly step: TextStep | null;
};

/** A change of the batch so far, with the parts that it is made of. */
export type DraftChange = Extract<ToolResult, { kind: 'change' }> & { readonly parts: readonly DraftPart[] };

/** A result during a batch. */
export type DraftResult = Exclude<ToolResult, { kind: 'change' }> | DraftChange;
