import { pluralize } from '../../../lib/format.ts';
import { type Change, type ChangeSet, type FileChange, membersOf, unifiedDiffOf } from '../../edits/change.ts';
import { byteLength } from '../../edits/text/characters.ts';
import { memberLines, type Proposal, proposedLineOf } from '../../state/proposal.ts';
import { codeBlock, codeSpan, details, escapeText, quoteModelText } from '../shared/markdown.ts';
import { createDiffView, type DiffView, FOLD_FROM_LINES, renderDiff } from './diff-markdown.ts';
import { createPayloadView, type PayloadView } from './payload-view.ts';

/** The payload of a change with its first line. */
export function viewMember(
  { payload, region, placeCount: places }: FileChange,
  line: number | null,
  isExecutableNamed: boolean,
): PayloadView {
  const isInsertion = region !== null && region.old.length === 0;
  return createPayloadView(payload, { line, places, isInsertion, isNewExecutable: isExecutableNamed });
}

/** Whether a change adds a file that can be run. No diff shows a mode. */
export function isNewExecutable({ base, result }: FileChange): boolean {
  return base === null && result?.mode === '100755';
}

/** One line for each member, which says all of it that its diff does not: operation, paths, place and digest. */
function memberList({ members }: ChangeSet, lines: readonly (number | null)[]): string {
  return members
    .map((member, index) => {
      const { start, place, end } = memberLine(member, index, lines[index] ?? null);
      return start + place + end;
    })
    .join('\n');
}

/** A line of the list. Only its place can change while the set is undecided. */
type MemberLine = { readonly start: string; readonly place: string; readonly end: string };

function memberLine(member: FileChange, index: number, line: number | null): MemberLine {
  const { verb, extent, text } = viewMember(member, line, isNewExecutable(member));
  const source = member.from === null ? '' : `${codeSpan(member.from)} to `;
  const note = unifiedDiffOf(member.payload) === null ? ` ${escapeText(text)}` : '';
  return {
    start: `${index + 1}. **${verb}** ${source}${codeSpan(member.path)}`,
    place: extent === null ? '' : ` (${extent})`,
    end: `, digest ${codeSpan(member.digest.slice(0, 12))}.${note}`,
  };
}

/** Whether a page lists exactly these members. The lines of an edit can be those before a push or after it. */
export function listsMembers(page: string, { members }: ChangeSet): boolean {
  return page.split('\n\n').some((block) => {
    const rows = block.split('\n');
    return (
      rows.length === members.length && members.every((member, index) => isRowOf(rows[index] ?? '', member, index))
    );
  });
}

function isRowOf(row: string, member: FileChange, index: number): boolean {
  const { start, place, end } = memberLine(member, index, proposedLineOf(member));
  if (row === start + place + end) return true;
  if (member.op !== 'edit' || row.length < start.length + end.length) return false;
  return row.startsWith(start) && row.endsWith(end) && PLACE.test(row.slice(start.length, row.length - end.length));
}

/** The place of an edit. */
const PLACE = /^ \((?:line|insert (?:above|below) line|\d+ places, the first at line) \d+\)$/;

type Introduced = Pick<Proposal, 'change' | 'currentLines'> & { readonly origin: Pick<Proposal['origin'], 'kind'> };

/** Names the changes that belong together, and says that they are decided as one. */
export function setIntroduction(proposal: Introduced): string {
  const { change, origin } = proposal;
  if (change.op !== 'set') return '';
  // The summary of an undo is the App's own, and a line below says the same.
  const summary =
    origin.kind === 'undo' ? '' : quoteModelText('Summary', change.summary, MAX_QUOTED_SUMMARY_CHARACTERS);
  const rule = 'These changes are decided as one: either all of them are committed together, or none.';
  return [summary, rule, memberList(change, memberLines(proposal))].filter((block) => block !== '').join('\n\n');
}

/** Bytes of the introduction, also where pushes give edits longer numbers and other headings. */
export function introductionBytes(change: ChangeSet): number {
  const edits = change.members.filter(({ op }) => op === 'edit').length;
  return (
    byteLength(setIntroduction({ change, currentLines: null, origin: { kind: 'call' } })) + edits * MOVED_PLACE_BYTES
  );
}

/** Seven digits, and a heading of 80 characters. */
const MOVED_PLACE_BYTES = 100;

/** The tool cuts a summary before, but placeholders of secrets can lengthen it again. */
const MAX_QUOTED_SUMMARY_CHARACTERS = 600;

/** The diffs of all members as one, in order. Warnings name the path that they are about. */
export function createSetView({ members }: ChangeSet): DiffView | null {
  const views = members.flatMap(({ path, payload }) => {
    const diff = unifiedDiffOf(payload);
    return diff === null ? [] : [{ path, view: createDiffView(diff) }];
  });
  if (views.length === 0) return null;
  return {
    lines: views.flatMap(({ view }) => view.lines),
    warnings: views.flatMap(({ path, view }) => view.warnings.map((warning) => `${path}: ${warning}`)),
    notes: views.flatMap(({ path, view }) => view.notes.map((note) => `${path}: ${note}`)),
  };
}

/** A diff for each member that has one, folded where it is long; as one diff where that would take too much room. */
export function renderSetDiff({ members }: ChangeSet, whole: DiffView, maxBytes: number): string {
  const blocks = members.flatMap(({ payload }, index) => {
    const diff = unifiedDiffOf(payload);
    return diff === null ? [] : [renderMemberDiff(createDiffView(diff), index + 1)];
  });
  const page = blocks.join('\n\n');
  return byteLength(page) > maxBytes ? renderDiff(whole, maxBytes) : page;
}

function renderMemberDiff({ lines }: DiffView, number: number): string {
  const block = codeBlock('diff', lines);
  if (lines.length < FOLD_FROM_LINES) return `Diff of ${number}:\n\n${block}`;
  return details(`Diff of ${number} (${pluralize(lines.length, 'line')})`, block);
}

/** The rows that a page must show for each member with a diff, in order. */
export function storedDiffs(change: Change): readonly string[] {
  return membersOf(change).flatMap(({ payload }) => unifiedDiffOf(payload) ?? []);
}
