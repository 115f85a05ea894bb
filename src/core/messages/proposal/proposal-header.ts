import { firstOf, formatList, pluralize, shortSha } from '../../../lib/format.ts';
import { type UserEditRange, userEditRange } from '../../edits/build/user-edit.ts';
import { type Change, type FileChange, isReading, onlyMember, unifiedDiffOf } from '../../edits/change.ts';
import { formatExtent, namedPaths, shortPath } from '../../edits/describe-change.ts';
import type { Placement } from '../../edits/placement.ts';
import { regionLine } from '../../edits/region.ts';
import type { Proposal } from '../../state/proposal.ts';
import { APPROVER_DEMANDS, type ApproverRole } from '../../state/settings.ts';
import { codeSpan, escapeText, fileUrl, joinBlocks, type LineSpan, link, quoteModelText } from '../shared/markdown.ts';
import { createDiffView, type DiffView, joinViews, renderDiff } from './diff-markdown.ts';
import { createPayloadView, type PayloadView } from './payload-view.ts';
import { approverNames, escapeLogin, PENDING_LABEL, type ProposalView } from './proposal-status.ts';

/** The kind of change, its file, its line or size, and its id. A quote of this line points at the proposal. */
export function titleLine(proposal: Proposal): string {
  const { verb, extent } = viewProposalPayload(proposal);
  const place = extent === null ? '' : ` (${extent})`;
  return `**${verb}** ${subjectOf(proposal.change)}${place} · ${codeSpan(proposal.id)}`;
}

function subjectOf(change: Change): string {
  const only = onlyMember(change);
  if (only !== null) return `${only.from === null ? '' : `${codeSpan(only.from)} to `}${codeSpan(only.path)}`;
  const paths = change.members.map(({ path }) => path);
  return `${formatExtent(paths)}: ${namedPaths(change.members, (path) => codeSpan(shortPath(path)))}`;
}

const MAX_FILES_LINKED = 5;

/** What exactly is decided: the digest, and the head with links to the files there. */
export function versionLine({ proposal, links }: ProposalView): string {
  const { index, total, change, headSha } = proposal;
  const files = new Map(change.members.flatMap((one) => (one.base === null ? [] : [[one.from ?? one.path, one]])));
  const named = firstOf([...files], MAX_FILES_LINKED, ([path, one]) =>
    link(codeSpan(shortPath(path)), fileUrl(links, headSha, path, replacedLines(one))),
  );
  const list = formatList(named);
  const version = `digest ${codeSpan(change.digest.slice(0, 12))} · head ${codeSpan(shortSha(headSha))}`;
  return `Change ${index} of ${total} · ${version}${list === '' ? '' : `: ${list}`}`;
}

function replacedLines({ region }: FileChange): LineSpan | null {
  if (region === null || region.old.length === 0) return null;
  return { first: region.oldStart, last: region.oldStart + region.old.length - 1 };
}

/** The proposal's payload, at its line at the head that was shown. */
export function viewProposalPayload({ change, origin }: Proposal): PayloadView {
  const only = onlyMember(change);
  // A line of its own says that an undo makes a file executable again.
  if (only !== null) return viewMember(only, isNewExecutable(only) && origin.kind !== 'undo');
  const warnings = change.members.flatMap((member) =>
    viewMember(member, false).warnings.map((warning) => `${member.path}: ${warning}`),
  );
  // A mode shows in no diff.
  const executables = change.members.filter(isNewExecutable).length;
  const extent = executables === 0 ? null : pluralize(executables, 'new executable file');
  return { verb: 'Change together', extent, warnings, text: '' };
}

/** Explains an undo in its own comment; empty for every other proposal. */
export function undoLine({ origin, change }: Proposal): string {
  if (origin.kind !== 'undo') return '';
  const isExecutable = change.members.some(isNewExecutable);
  const mode = isExecutable ? ' The file will be executable again.' : '';
  return `This is the exact reverse of ${codeSpan(origin.undoneProposalId)}, requested by ${escapeLogin(origin.by)}, not by the agent.${mode}`;
}

const MAX_REPLACED_LISTED = 10;

/** Links to the earlier versions; without an address where the repository was renamed since. */
export function replacesLine({ proposal, links }: ProposalView): string {
  const named = firstOf(proposal.replaces, MAX_REPLACED_LISTED, ({ id, url }) => {
    const isOwn = url?.startsWith(`${links.repository}/`) === true;
    return url !== null && isOwn ? link(codeSpan(id), url) : codeSpan(id);
  });
  return named.length === 0 ? '' : `Replaces ${formatList(named)}.`;
}

/** The review thread that the change answers; without its address where the repository was renamed since. */
export function answersLine({ proposal: { answers }, links }: ProposalView): string {
  if (answers === null) return '';
  const { by, url, path, line } = answers;
  const thread = by === null ? 'review thread' : `review thread of ${escapeLogin({ login: by })}`;
  const named = url.startsWith(`${links.repository}/`) ? link(thread, url) : thread;
  return `Answers the ${named} on ${codeSpan(shortPath(path))}${line === null ? '' : ` line ${line}`}.`;
}

/** The approvals so far, and who or how many are missing; empty where one of anybody with write access is enough. */
export function approvalsLine({ proposal, placement }: ProposalView): string {
  const { requiredApprovals, requiredApprovers } = proposal;
  if (requiredApprovals < 2 && requiredApprovers === 'write') return '';
  const names = approverNames(proposal);
  const by = names.length === 0 ? '' : ` by ${formatList(names)}`;
  const button =
    placement.kind === 'suggestion' && requiredApprovals > 1
      ? ' GitHub’s **Commit suggestion** button counts as one approval.'
      : '';
  return `**${names.length} of ${requiredApprovals} approvals**${by}: ${missingText(proposal, names.length)}.${button}`;
}

function missingText({ requiredApprovals, requiredApprovers }: Proposal, approvals: number): string {
  const missing = Math.max(1, requiredApprovals - approvals);
  const { role, codeOwners } = APPROVER_DEMANDS[requiredApprovers];
  const access = ROLE_ACCESS[role];
  const by = access === null ? '' : `, by ${missing === 1 ? 'somebody' : 'people'} with ${access}`;
  return `${missing} more needed${by}${codeOwners ? ', with a code owner of each path among the approvers' : ''}`;
}

/** The demands on an approver beyond write access, which everybody who may decide has. */
const ROLE_ACCESS = {
  write: null,
  maintain: 'maintain or admin access',
  admin: 'admin access',
} as const satisfies Record<ApproverRole, string | null>;

/** The ways to decide, on one line. In the conversation a command needs the id; in a thread it doesn't. */
export function decisionLine({ placement, proposal, writable }: ProposalView): string {
  const isInThread = placement.kind !== 'conversation';
  const id = isInThread ? '' : ` ${proposal.id}`;
  const byHand = placement.kind === 'suggestion' ? '**Commit suggestion**' : 'push exactly this change';
  const options = [
    writable || isReading(proposal.change) ? codeSpan(`/approve${id}`) : byHand,
    codeSpan(`/deny${id} [reason]`),
    ...(proposal.origin.kind === 'undo' ? [] : [editOption(proposal, placement, writable, isInThread)]),
    `${codeSpan('/help')} for more`,
  ];
  return `${PENDING_LABEL} ${options.join(' · ')}`;
}

function editOption({ id }: Proposal, placement: Placement, writable: boolean, isInThread: boolean): string {
  if (!isInThread) return codeSpan(`/edit ${id} <instruction>`);
  const range = writable ? userEditRange(placement) : null;
  return range === null
    ? 'reply with what to change'
    : `reply with what to change, or with a ${codeSpan('suggestion')} block ${rangeText(range)}`;
}

function rangeText({ index, count }: UserEditRange): string {
  return count === 1 ? `for line ${index + 1}` : `for lines ${index + 1} to ${index + count}`;
}

/** The payload of a change with its first line. */
function viewMember(member: FileChange, isExecutableNamed: boolean): PayloadView {
  const { payload, region, placeCount: places } = member;
  const isInsertion = region !== null && region.old.length === 0;
  const line = region === null ? null : regionLine(region);
  return createPayloadView(payload, { line, places, isInsertion, isNewExecutable: isExecutableNamed });
}

/** Whether a change adds a file that can be run. No diff shows a mode. */
function isNewExecutable({ base, result }: FileChange): boolean {
  return base === null && result?.mode === '100755';
}

/** The members of a change by file, in order: the places of an edited file, or one change of a whole file. */
export function membersByFile({ members }: Change): readonly (readonly FileChange[])[] {
  return [...Map.groupBy(members, ({ op, from, path }) => JSON.stringify([op, from, path])).values()];
}

/** One line for each file, which says all of its members that its diff does not: operation, paths and places. */
function memberList(change: Change): string {
  return membersByFile(change).flatMap(fileLine).join('\n');
}

function fileLine([first, ...others]: readonly FileChange[], index: number): readonly string[] {
  if (first === undefined) return [];
  const { verb, extent, text } = viewMember(first, isNewExecutable(first));
  const source = first.from === null ? '' : `${codeSpan(first.from)} to `;
  const note = unifiedDiffOf(first.payload) === null ? ` ${escapeText(text)}` : '';
  const places = [extent, ...others.map((one) => viewMember(one, false).extent)].filter((one) => one !== null);
  const where = places.length === 0 ? '' : ` (${places.join(', ')})`;
  return [`${index + 1}. **${verb}** ${source}${codeSpan(first.path)}${where}.${note}`];
}

/** Whether a page lists exactly these members. */
export function listsMembers(page: string, change: Change): boolean {
  return page.split('\n\n').includes(memberList(change));
}

type Introduced = Pick<Proposal, 'change'> & { readonly origin: Pick<Proposal['origin'], 'kind'> };

/** Names the changes that belong together, and says that they are decided as one. */
export function setIntroduction(proposal: Introduced): string {
  const { change, origin } = proposal;
  if (change.summary === null) return '';
  // The summary of an undo is the App's own, and a line below says the same.
  const summary =
    origin.kind === 'undo' ? '' : quoteModelText('Summary', change.summary, MAX_QUOTED_SUMMARY_CHARACTERS);
  const rule = 'These changes are decided as one: either all of them are committed together, or none.';
  return [summary, rule, memberList(change)].filter((block) => block !== '').join('\n\n');
}

/** The tool cuts a summary before, but placeholders of secrets can lengthen it again. */
const MAX_QUOTED_SUMMARY_CHARACTERS = 600;

/** The diffs of all files, in order; null for a file without one. Those of a set name the paths of their warnings. */
export function createFileViews(change: Change): readonly (DiffView | null)[] {
  const only = onlyMember(change);
  if (only !== null) return [createDiffView(only.payload)];
  return membersByFile(change).map((members) => joinViews(members.map(createMemberView)));
}

function createMemberView({ path, payload }: FileChange): DiffView | null {
  const view = createDiffView(payload);
  const about = (texts: readonly string[]): readonly string[] => texts.map((text) => `${path}: ${text}`);
  return view === null ? null : { ...view, warnings: about(view.warnings), notes: about(view.notes) };
}

/** A diff for each file that has one, in order, open at the line that was asked about. */
export function renderSetDiff(views: readonly (DiffView | null)[], lines: readonly (number | null)[]): string {
  return joinBlocks(
    ...views.map((view, index) => (view === null ? '' : `Diff of ${index + 1}:\n\n${renderDiff(view, lines[index])}`)),
  );
}
