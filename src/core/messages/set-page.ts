import { pluralize } from '../../lib/format.ts';
import { type Change, type ChangeSet, type FileChange, membersOf, unifiedDiffOf } from '../edits/change.ts';
import { regionLine } from '../edits/region.ts';
import { byteLength } from '../edits/text/characters.ts';
import { createDiffView, type DiffView, FOLD_FROM_LINES, MAX_FIRST_PART_BYTES, renderDiff } from './diff-markdown.ts';
import { codeBlock, codeSpan, details, escapeText, quoteModelText } from './markdown.ts';
import { createPayloadView, type PayloadView } from './payload-view.ts';

/** A member's payload at the line where people saw it. */
export function viewMember({ payload, region, placeCount }: FileChange): PayloadView {
  const line = region === null ? null : regionLine(region);
  const isInsertion = region !== null && region.old.length === 0;
  return createPayloadView(payload, { line, places: placeCount, isInsertion });
}

/** For example `3 places in 2 files`. */
export function extentOf({ members }: ChangeSet): string {
  const files = new Set(members.map(({ path }) => path)).size;
  return `${pluralize(members.length, 'place')} in ${pluralize(files, 'file')}`;
}

/** One line for each member, which says all of it that its diff does not: operation, paths, place and digest. */
export function memberList({ members }: ChangeSet): string {
  return members.map((member, index) => `${index + 1}. ${memberLine(member)}`).join('\n');
}

function memberLine(member: FileChange): string {
  const { verb, extent, text } = viewMember(member);
  const source = member.from === null ? '' : `${codeSpan(member.from)} to `;
  const heading = member.heading === null ? '' : ` after the heading ${codeSpan(member.heading)}`;
  const place = `${extent === null ? '' : ` (${extent})`}${heading}`;
  const note = unifiedDiffOf(member.payload) === null ? ` ${escapeText(text)}` : '';
  return `**${verb}** ${source}${codeSpan(member.path)}${place}, digest ${codeSpan(member.digest.slice(0, 12))}.${note}`;
}

/** What belongs together, and that it is decided as one. */
export function setIntroduction(change: Change): string {
  if (change.op !== 'set') return '';
  const summary = quoteModelText('Summary', change.summary, MAX_SUMMARY_CHARACTERS);
  const rule = 'These changes are decided as one: either all of them are committed together, or none.';
  return [summary, rule, memberList(change)].filter((block) => block !== '').join('\n\n');
}

/** Longer than any summary that the tool accepts. */
const MAX_SUMMARY_CHARACTERS = 600;

/** The diffs of all members as one, in order. Warnings name the path that they are about. */
export function createSetView({ members }: ChangeSet): DiffView | null {
  const views = members.flatMap(({ path, payload }) => {
    const diff = unifiedDiffOf(payload);
    return diff === null ? [] : [{ path, view: createDiffView(diff) }];
  });
  if (views.length === 0) return null;
  return {
    lines: views.flatMap(({ view }) => view.lines),
    longLines: views.flatMap(({ view }) => view.longLines),
    warnings: views.flatMap(({ path, view }) => view.warnings.map((warning) => `${path}: ${warning}`)),
  };
}

/** A diff for each member that has one, folded where it is long; as one diff where that would take too much room. */
export function renderSetDiff({ members }: ChangeSet, whole: DiffView): string {
  const blocks = members.flatMap(({ payload }, index) => {
    const diff = unifiedDiffOf(payload);
    return diff === null ? [] : [renderMemberDiff(createDiffView(diff), index + 1)];
  });
  const page = blocks.join('\n\n');
  return byteLength(page) > MAX_FIRST_PART_BYTES ? renderDiff(whole) : page;
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
