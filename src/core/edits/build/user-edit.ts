import { type Change, type FileChange, type Region, singleChange } from '../change.ts';
import { findAddedHidden, nameHidden } from '../misleading-text.ts';
import { applySuggestion, type Placement } from '../placement.ts';
import { applyRegion, regionBetween, regionIndex } from '../region.ts';
import { encodeText } from '../text/characters.ts';
import { createLineTable } from '../text/line-table.ts';
import { withoutLineEnding } from '../text/lines.ts';
import { type BuildResult, buildChange, textVersion } from './build-change.ts';
import { formatUnifiedDiff, refineBlock } from './unified-diff.ts';

/** The lines of the file that a user's lines replace: `index` is 0-based; a `count` of 0 inserts them there. */
export type UserEditRange = { readonly index: number; readonly count: number };

/** A user's lines in place of a proposal's. `baseText` is the file that the change was built on. */
export type UserEditInput = {
  readonly change: FileChange;
  /** The model's proposal: the change itself, unless that already is a user's edit. */
  readonly proposed: FileChange;
  readonly placement: Placement;
  readonly baseText: string;
  /** Without terminators, as in the block. */
  readonly lines: readonly string[];
};

/** The page has no suggestion block, for example because the change has several places. */
export const NOT_ONE_PLACE = 'its page has no suggestion block that it could replace';

/** How a user's text differs from the model's proposal. */
export type UserEditDiff = {
  /** Unified diff from the proposed text to the user's. */
  readonly diff: string;
  /** The region that turns the user's text back into the proposal. */
  readonly revertRegion: Region;
};

/** The result of a user's edit. `userEdit` is null if it restores the model's proposal. */
export type UserEditResult =
  | { readonly kind: 'change'; readonly change: Change; readonly userEdit: UserEditDiff | null }
  /** The lines equal those of the current proposal. */
  | { readonly kind: 'unchanged' }
  /** `why` is a clause for people, as plain text. */
  | { readonly kind: 'refused'; readonly why: string };

/** The lines that GitHub's button would replace; null where the page has no button. */
export function userEditRange(placement: Placement): UserEditRange | null {
  if (placement.kind !== 'suggestion') return null;
  const first = placement.startLine ?? placement.line;
  return { index: first - 1, count: placement.line - first + 1 };
}

/** Turns a user's lines into a change of the same file as the proposal's. Lines outside the range stay. */
export function applyUserEdit(input: UserEditInput): UserEditResult {
  const { change, placement, baseText, lines } = input;
  const range = userEditRange(placement);
  if (range === null || placement.kind !== 'suggestion' || change.region === null) return refuseUserEdit(NOT_ONE_PLACE);
  const anchor = findAnchor(change.region, range);
  if (anchor !== null && !keepsAnchor(anchor, lines, placement.lines))
    return refuseUserEdit(`it leaves out line ${anchor.line}, \`${anchor.text}\`, which the change keeps`);
  const text = applySuggestion(baseText, placement.startLine, placement.line, lines);
  if (text === applyRegion(baseText, change.region)) return { kind: 'unchanged' };
  if (text === baseText) return refuseUserEdit('the file already has these lines');
  const built = buildUserEdit(input, text);
  if (built.kind === 'refused') return refuseUserEdit(built.output);
  const { region } = built.change;
  const hidden = region === null ? null : findAddedHidden(region);
  if (hidden !== null)
    return refuseUserEdit(
      `it adds a character that nobody sees, ${nameHidden(hidden)}; write it as an escape of the language`,
    );
  return { kind: 'change', change: singleChange(built.change), userEdit: diffFromProposed(input, text) };
}

/** A line of the file, 1-based, without its ending. */
type Anchor = { readonly line: number; readonly text: string; readonly at: 'first' | 'last' };

/** The unchanged line in the range, which only the suggestion block of an insertion has, as its first or last line. */
function findAnchor({ before, old, oldStart, after }: Region, { index, count }: UserEditRange): Anchor | null {
  if (old.length > 0 || count === 0) return null;
  const at = index < oldStart ? 'first' : 'last';
  const text = at === 'first' ? before.at(-1) : after[0];
  return text === undefined ? null : { line: index + 1, text: withoutLineEnding(text), at };
}

/**
 * A closing bracket is often both the anchor and an inserted line, so a single one elsewhere can be the inserted one.
 */
function keepsAnchor({ text, at }: Anchor, lines: readonly string[], proposed: readonly string[]): boolean {
  const count = (all: readonly string[]): number => all.filter((line) => line === text).length;
  return lines.at(at === 'first' ? 0 : -1) === text || count(lines) >= count(proposed);
}

function refuseUserEdit(why: string): UserEditResult {
  return { kind: 'refused', why };
}

/** The change of the same file and kind that leaves this text. */
function buildUserEdit({ change, baseText }: UserEditInput, text: string): BuildResult {
  const { op, path, base, payload } = change;
  const before = base === null ? null : { ref: base, text: baseText, bytes: encodeText(baseText).length };
  const after = textVersion(path, text, base?.mode ?? '100644');
  if (after.kind === 'refused') return after;
  const kind = op === 'write' ? 'write' : 'edit';
  return buildChange({ op: kind, path, repositoryName: payload.sandbox, before, after: after.version });
}

function diffFromProposed({ proposed, baseText }: UserEditInput, text: string): UserEditDiff | null {
  const before = proposed.region === null ? text : applyRegion(baseText, proposed.region);
  const changed = regionBetween(before, text);
  const revertRegion = regionBetween(text, before);
  if (changed === null || revertRegion === null) return null;
  const blocks = refineBlock({ index: regionIndex(changed), old: changed.old, new: changed.new });
  const diff = formatUnifiedDiff({ path: proposed.path, existedBefore: true, base: createLineTable(before), blocks });
  return { diff, revertRegion };
}
