import { pluralize, type RepoLinks, shortSha } from '../../lib/format.ts';
import { mainPath } from '../edits/change.ts';
import { byteLength } from '../edits/text/characters.ts';
import {
  type ButtonObstacle,
  buttonIdentifier,
  externalIdOf,
  findButtonObstacle,
  type Waiting,
} from '../policy/waiting.ts';
import type { Proposal } from '../state/proposal.ts';
import type { CheckRunPage, OutdatedCheckRunPage, PullState } from '../state/pull-state.ts';
import type { CheckRunMode } from '../state/settings.ts';
import { renderListedProposal } from './proposal/exact-page.ts';
import { formatProposalList, linkedId, numberOf } from './proposal/proposal-status.ts';
import { runWarnings } from './run-warnings.ts';
import { codeSpan, joinBlocks, link, proposalMarker } from './shared/markdown.ts';

/** GitHub's limit of a text, in characters; ours counts bytes, which are never fewer. */
const MAX_TEXT_BYTES = 65_535;

/** Free bytes for the list of the changes that do not fit. */
const RESERVED_BYTES = 8_000;

type CheckRunView = {
  readonly pull: PullState;
  readonly waiting: Waiting;
  readonly mode: Exclude<CheckRunMode, 'off'>;
  readonly links: RepoLinks;
  /** The number of another pull request with the same commit, whose changes wait. */
  readonly elsewhere?: number | null;
};

/** The check run of the waiting list: every pending change whole, and buttons where one press may decide on all of them. */
export function renderCheckRun({ pull, waiting, mode, links, elsewhere = null }: CheckRunView): CheckRunPage {
  const { changes, digest } = waiting;
  const about = { externalId: externalIdOf(pull.ref.number, digest), detailsUrl: pullUrl(pull, links) };
  const empty = { ...about, text: '', actions: [] };
  if (changes.length === 0 && elsewhere !== null)
    return { ...empty, conclusion: 'action_required', title: `Changes wait on #${elsewhere}`, summary: SAME_COMMIT };
  if (changes.length === 0)
    return { ...empty, conclusion: 'success', title: 'Nothing waits for a decision', summary: ALL_DECIDED };
  const { text, isWhole } = renderChanges(pull, changes, links);
  const obstacle = findButtonObstacle(pull, changes) ?? (isWhole ? null : 'too-long');
  return {
    ...about,
    conclusion: mode === 'required' ? 'action_required' : 'neutral',
    title: `${pluralize(changes.length, 'change')} ${changes.length === 1 ? 'waits' : 'wait'} for a decision`,
    summary: joinBlocks(obstacle === null ? buttonHint(pull, links) : OBSTACLE_HINTS[obstacle], COMMAND_HINT),
    text,
    actions: obstacle === null ? buttonsOf(digest, changes.length) : [],
  };
}

/** What an older check run says once another list, or none, took its place. It keeps no text that somebody could press. */
export function renderOutdatedCheckRun(pull: PullState, head: string, links: RepoLinks): OutdatedCheckRunPage {
  return {
    conclusion: 'neutral',
    title: 'This list is over',
    summary: `The changes that wait on ${link('the pull request', pullUrl(pull, links))} are others now, or none. This list was for ${codeSpan(shortSha(head))}.`,
    text: '',
    detailsUrl: pullUrl(pull, links),
    actions: [],
  };
}

function pullUrl({ ref }: PullState, { repository }: RepoLinks): string {
  return `${repository}/pull/${ref.number}`;
}

const ALL_DECIDED = 'Every change that Countersign proposed is decided.';

const SAME_COMMIT = 'That pull request has the same commit. Here every change that Countersign proposed is decided.';

/** It names the pull request, because each one with the same commit has the page. */
function buttonHint(pull: PullState, links: RepoLinks): string {
  return `**Approve all** and **Deny all** decide on exactly the changes below, for ${link(`#${pull.ref.number}`, pullUrl(pull, links))} and in your name. Once the list changes, they decide nothing.`;
}

const OBSTACLE_HINTS = {
  'nothing-waits': '',
  'cannot-commit': 'There are no buttons here, because Countersign cannot commit to this branch.',
  'needs-others': 'There are no buttons here, because the rules ask for the approval of several or other people.',
  'too-long': 'There are no buttons here, because this page cannot hold every change whole.',
} as const satisfies Record<ButtonObstacle | 'too-long', string>;

const COMMAND_HINT = `Each change can be decided on its own page, or in the conversation with ${codeSpan('/approve <id>')} and ${codeSpan('/deny <id>')}.`;

/** GitHub takes labels of at most 20 characters and descriptions of at most 40. */
function buttonsOf(digest: string, count: number): CheckRunPage['actions'] {
  const what = pluralize(count, 'change');
  return [
    { label: 'Approve all', description: `Commit ${what}`, identifier: buttonIdentifier('approve', digest) },
    { label: 'Deny all', description: `Deny ${what}`, identifier: buttonIdentifier('deny', digest) },
  ];
}

/** The changes in order, as many of them whole as fit; the others are listed. */
function renderChanges(pull: PullState, changes: readonly Proposal[], links: RepoLinks) {
  const left: Proposal[] = [];
  let text = '';
  for (const proposal of changes) {
    const page = left.length > 0 ? null : renderPage(pull, proposal, links);
    const longer = page === null ? null : joinBlocks(text, text === '' ? '' : '---', page);
    if (longer === null || byteLength(longer) > MAX_TEXT_BYTES - RESERVED_BYTES) left.push(proposal);
    else text = longer;
  }
  const list = left.length === 0 ? '' : joinBlocks('Only on their own pages:', formatProposalList(left));
  return { text: joinBlocks(text, list), isWhole: left.length === 0 };
}

/** The page of a change as it would be in the conversation; null where that would not show exactly the stored change. */
function renderPage(pull: PullState, proposal: Proposal, links: RepoLinks): string | null {
  const view = { proposal, ...runWarnings(pull.run), links, replacedByUrl: null };
  const body = renderListedProposal({ ...view, placement: { kind: 'conversation', path: mainPath(proposal.change) } });
  if (body === null) return null;
  const own = body.slice(proposalMarker(proposal.id).length).trimStart();
  return joinBlocks(`${numberOf(proposal)}${linkedId(proposal)}`, own);
}
