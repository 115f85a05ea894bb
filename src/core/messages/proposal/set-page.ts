import { type ChangeSet, type FileChange, unifiedDiffOf } from '../../edits/change.ts';
import { type Proposal, proposedLineOf } from '../../state/proposal.ts';
import { codeSpan, escapeText, joinBlocks, quoteModelText } from '../shared/markdown.ts';
import { createDiffView, type DiffView, renderDiff } from './diff-markdown.ts';
import { createPayloadView, type PayloadView } from './payload-view.ts';

/** The payload of a change with its first line. */
export function viewMember(member: FileChange, isExecutableNamed: boolean): PayloadView {
  const { payload, region, placeCount: places } = member;
  const isInsertion = region !== null && region.old.length === 0;
  return createPayloadView(payload, {
    line: proposedLineOf(member),
    places,
    isInsertion,
    isNewExecutable: isExecutableNamed,
  });
}

/** Whether a change adds a file that can be run. No diff shows a mode. */
export function isNewExecutable({ base, result }: FileChange): boolean {
  return base === null && result?.mode === '100755';
}

/** One line for each member, which says all of it that its diff does not: operation, paths, place and digest. */
function memberList({ members }: ChangeSet): string {
  return members.map(memberLine).join('\n');
}

function memberLine(member: FileChange, index: number): string {
  const { verb, extent, text } = viewMember(member, isNewExecutable(member));
  const source = member.from === null ? '' : `${codeSpan(member.from)} to `;
  const note = unifiedDiffOf(member.payload) === null ? ` ${escapeText(text)}` : '';
  const place = extent === null ? '' : ` (${extent})`;
  const digest = codeSpan(member.digest.slice(0, 12));
  return `${index + 1}. **${verb}** ${source}${codeSpan(member.path)}${place}, digest ${digest}.${note}`;
}

/** Whether a page lists exactly these members. */
export function listsMembers(page: string, change: ChangeSet): boolean {
  return page.split('\n\n').includes(memberList(change));
}

type Introduced = Pick<Proposal, 'change'> & { readonly origin: Pick<Proposal['origin'], 'kind'> };

/** Names the changes that belong together, and says that they are decided as one. */
export function setIntroduction(proposal: Introduced): string {
  const { change, origin } = proposal;
  if (change.op !== 'set') return '';
  // The summary of an undo is the App's own, and a line below says the same.
  const summary =
    origin.kind === 'undo' ? '' : quoteModelText('Summary', change.summary, MAX_QUOTED_SUMMARY_CHARACTERS);
  const rule = 'These changes are decided as one: either all of them are committed together, or none.';
  return [summary, rule, memberList(change)].filter((block) => block !== '').join('\n\n');
}

/** The tool cuts a summary before, but placeholders of secrets can lengthen it again. */
const MAX_QUOTED_SUMMARY_CHARACTERS = 600;

/** The diffs of all members, in order; null for a member without one. Warnings name the path that they are about. */
export function createSetViews({ members }: ChangeSet): readonly (DiffView | null)[] {
  return members.map(({ path, payload }) => {
    const view = createDiffView(payload);
    const about = (texts: readonly string[]): readonly string[] => texts.map((text) => `${path}: ${text}`);
    return view === null ? null : { ...view, warnings: about(view.warnings), notes: about(view.notes) };
  });
}

/** A diff for each member that has one, in order. */
export function renderSetDiff(views: readonly (DiffView | null)[]): string {
  return joinBlocks(
    ...views.map((view, index) => (view === null ? '' : `Diff of ${index + 1}:\n\n${renderDiff(view)}`)),
  );
}
