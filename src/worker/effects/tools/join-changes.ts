import type { BuildResult } from '../../../core/edits/build/build-edit.ts';
import type { TextInput, TextStep } from '../../../core/edits/build/build-text.ts';
import { buildText } from '../../../core/edits/build/build-text.ts';
import type { Change, FileChange } from '../../../core/edits/change.ts';
import { combineChanges } from '../../../core/edits/change-set.ts';
import { areChangesTouching } from '../../../core/policy/earlier-changes.ts';
import type { DependencyRelation } from '../../../core/state/conversation.ts';
import { callRefOf } from '../../../core/state/conversation.ts';
import { cutReason, type ProposingToolName } from '../../../core/state/tools.ts';
import {
  type DraftChange,
  type DraftPart,
  type DraftResult,
  type ToolCallContext,
  toolOutput,
  type Workspace,
} from './workspace.ts';

/** A call that changes the text of one file; `input` has the file as it is. */
type TextCall = { readonly part: DraftPart; readonly input: Omit<TextInput, 'steps'> };

type ChangeRequest = { readonly tool: ProposingToolName; readonly reason: string | null };

/** The part of a call; `step` is null if it does not change the text of one file. */
export function draftPart(
  { index, call }: ToolCallContext,
  { tool, reason }: ChangeRequest,
  step: TextStep | null,
): DraftPart {
  return { index, call: callRefOf(call), tool, reason, step };
}

/** The result of a call whose change is computed. */
export function toDraftResult({ call }: ToolCallContext, parts: readonly DraftPart[], built: BuildResult): DraftResult {
  if (built.kind === 'refused') return toolOutput(call.toolCall, built.output);
  const ordered = parts.toSorted((left, right) => left.index - right.index);
  const reasons = new Set(ordered.flatMap(({ reason }) => reason ?? []));
  return {
    callId: call.toolCall.id,
    kind: 'change',
    calls: ordered.map((part) => part.call),
    tool: ordered.find(({ tool }) => tool !== 'edit_file')?.tool ?? 'edit_file',
    reason: cutReason([...reasons].join(' ')),
    change: built.change,
    parts: ordered,
  };
}

/**
 * Proposes the change of a call. Earlier changes of the batch that it touches, or that add the text that it needs,
 * become one change with it, in the order of the calls: as separate changes, people could take one without the other.
 */
export async function proposeText(context: ToolCallContext, call: TextCall): Promise<DraftResult> {
  const drafts = draftsOf(context, call.input.path);
  const alone = build(call.input, [call.part]);
  const refused = await findAnsweredEarlier(context, call, alone);
  // Its calls become no part of another change, where nobody would recognize it.
  if (refused !== null) return toDraftResult(context, [{ ...call.part, step: null }], refused);
  if (drafts.length === 0) return toDraftResult(context, [call.part], alone);
  if (alone.kind === 'change') {
    const same = drafts.find((draft) => isSameChange(draft.change, alone.change) || hasSameEdits(draft, call));
    if (same !== undefined) {
      const parts = [...same.parts, { ...call.part, step: null }];
      return toDraftResult(context, parts, { kind: 'change', change: same.change });
    }
    return joinTouching(context, call, { drafts, joined: [], built: alone });
  }
  const needed = drafts.filter((draft) => mayHelp(draft, call));
  for (const joined of needed.length > 1 ? [...needed.map((draft) => [draft]), needed] : [needed]) {
    if (joined.length === 0 || partsOf(joined, call).length > MAX_JOINED_CALLS) continue;
    if (!context.workspace.takeJoinAttempt(call.input.path)) return dependsOn(call, joined, 'needs-text');
    const built = build(call.input, partsOf(joined, call));
    if (built.kind === 'change') return joinTouching(context, call, { drafts, joined, built });
  }
  return toDraftResult(context, [call.part], alone);
}

/** A digest does not cover the place: repeated blocks give the same one for each of their places. */
function isSameChange(left: Change, right: Change): boolean {
  return left.digest === right.digest && areChangesTouching(left, right);
}

/**
 * Whether the same call is part of a change already. Made twice, an edit whose new text holds the old one would repeat
 * itself. After a write the same edit can be meant anew.
 */
function hasSameEdits({ parts }: TextDraft, { part }: TextCall): boolean {
  if (part.step?.kind !== 'edits' || parts.some(({ step }) => step?.kind === 'content')) return false;
  const edits = JSON.stringify(part.step.edits);
  return parts.some(({ step }) => step?.kind === 'edits' && JSON.stringify(step.edits) === edits);
}

/** The call's own change, or that of one of its edits, if people denied it before. */
async function findAnsweredEarlier(
  context: ToolCallContext,
  { part, input }: TextCall,
  alone: BuildResult,
): Promise<BuildResult | null> {
  const isAnswered = (built: BuildResult): boolean =>
    built.kind === 'change' && context.workspace.isAnsweredEarlier(built.change);
  if (isAnswered(alone)) return alone;
  const edits = part.step?.kind === 'edits' ? part.step.edits : [];
  if (edits.length < 2 || !context.workspace.proposedPaths.has(input.path)) return null;
  for (const edit of edits) {
    const built = build(input, [{ ...part, step: { kind: 'edits', edits: [edit] } }]);
    if (isAnswered(built)) return built;
  }
  return null;
}

/** Longer texts are not compared here, on the event loop. */
const MAX_COMPARED = { characters: 32_000, lines: 50 };

/**
 * Whether an earlier change might add the text that a call searches, or remove a second place of it: a line of that
 * text is in its lines. An attempt to join both tells for sure, and computes the whole file again.
 */
function mayHelp({ change: { region } }: TextDraft, { part: { step } }: TextCall): boolean {
  // A whole new content replaces what earlier calls changed.
  if (step?.kind !== 'edits') return false;
  if (region === null || region.new.every((line) => line.trim() === '')) return true;
  const changed = [...region.old, ...region.new].join('');
  const searched = step.edits.flatMap(({ oldString }) => oldString.split('\n').map((line) => line.trim()));
  const lines = [...new Set(searched)].filter((line) => line !== '');
  if (lines.length === 0 || lines.length > MAX_COMPARED.lines || changed.length > MAX_COMPARED.characters) return true;
  return lines.some((line) => changed.includes(line));
}

/** T15: the call has to wait for the first of these changes. */
function dependsOn(
  { part, input: { path } }: TextCall,
  drafts: readonly DraftChange[],
  relation: DependencyRelation,
): DraftResult {
  const needed = drafts[0]?.calls[0] ?? part.call;
  return { callId: part.call.callId, kind: 'depends-on-call', path, dependsOn: needed, relation };
}

/** Earlier changes of a file that a call can join. A set stands as its call made it. */
function draftsOf({ earlier }: ToolCallContext, path: string): readonly TextDraft[] {
  return earlier.flatMap((one) => {
    if (one.kind !== 'change' || one.change.op === 'set' || one.change.path !== path) return [];
    return one.parts.some(({ step }) => step !== null) ? [{ ...one, change: one.change }] : [];
  });
}

type TextDraft = DraftChange & { readonly change: FileChange };

function partsOf(drafts: readonly DraftChange[], { part }: TextCall): readonly DraftPart[] {
  return [...drafts.flatMap(({ parts }) => parts), part];
}

type Joining = {
  /** All earlier changes of the file. */
  readonly drafts: readonly TextDraft[];
  /** Those that are part of `built`. */
  readonly joined: readonly TextDraft[];
  readonly built: Extract<BuildResult, { kind: 'change' }>;
};

/** Calls that become one change. Each attempt to join makes all of them again. */
const MAX_JOINED_CALLS = 20;

/** Joins a change with those that it touches, until it touches no other. */
async function joinTouching(
  context: ToolCallContext,
  call: TextCall,
  { drafts, joined, built }: Joining,
): Promise<DraftResult> {
  const touched = drafts.filter((one) => joined.includes(one) || areChangesTouching(one.change, built.change));
  if (touched.length === joined.length) return toDraftResult(context, partsOf(joined, call), built);
  const parts = partsOf(touched, call);
  const canJoin = parts.length <= MAX_JOINED_CALLS && context.workspace.takeJoinAttempt(call.input.path);
  const next = canJoin ? build(call.input, parts) : null;
  if (next?.kind === 'change') return joinTouching(context, call, { drafts, joined: touched, built: next });
  const others = touched.filter((one) => !joined.includes(one));
  return dependsOn(call, others, 'same-place');
}

function build(input: TextCall['input'], parts: readonly DraftPart[]): BuildResult {
  const ordered = parts.toSorted((left, right) => left.index - right.index);
  return buildText({ ...input, steps: ordered.flatMap(({ step }) => step ?? []) });
}

/** The least of these changes that people denied before; null if they are new. Others beside them hide nothing. */
export function findAnsweredPart(
  workspace: Pick<Workspace, 'isAnsweredEarlier'>,
  summary: string,
  all: readonly FileChange[],
): Change | null {
  const isAnswered = (changes: readonly FileChange[]): boolean => {
    const change = combineChanges(summary, changes);
    return change !== null && workspace.isAnsweredEarlier(change);
  };
  if (!isAnswered(all)) return null;
  const least = all.reduce((kept, one) => {
    const fewer = kept.filter((other) => other !== one);
    return isAnswered(fewer) ? fewer : kept;
  }, all);
  return combineChanges(summary, least);
}
