import { isOpen, type Proposal } from '../run/proposal.ts';
import { isResumable, type Phase, type Run, type RunEnd } from '../run/run.ts';
import { forkLine } from './fork-words.ts';
import { BODY_LIMIT, blocks, byteLength, cellSpan, codeSpan, escapeText, link, modelWords, quote } from './markdown.ts';
import { runMarker } from './markers.ts';
import { ruleLine } from './rule-words.ts';
import { sameBranchLine } from './same-branch-words.ts';
import { deciders, loginText, STATE_WORDS } from './verdict.ts';
import { commitLink, count, listOf, type RepoLinks, sha7, thousands, timeWords } from './words.ts';

/** Everything that the run's one comment shows. */
export type RunView = {
  readonly run: Run;
  /** All proposals of the run, oldest first. */
  readonly proposals: readonly Proposal[];
  /** Tasks waiting behind this run. */
  readonly queued: number;
  readonly links: RepoLinks;
};

const TASK_CAP = 1_500;
const SUMMARY_CAP = 4_000;
const NOTE_CAP = 500;
const PATH_CAP = 120;
/** What the table may take of the comment, in bytes. */
const TABLE_LIMIT = BODY_LIMIT / 3;
/**
 * How much of all that is told: words that swell when they are written out (a hidden character becomes nine) get less.
 */
const SHARES: readonly number[] = [1, 1 / 2, 1 / 4, 1 / 8];

/** How a run ended, said of the run. */
const ENDINGS = {
  finished: 'finished',
  stopped: 'was stopped',
  closed: 'ended, because the pull request was closed',
  merged: 'ended, because the pull request was merged',
  denied: 'ended, because every change was rejected without a reason',
  repeated: 'ended, because the model kept proposing what had been rejected',
  'turn-limit': 'ended, because it used all the model responses it may use',
  'model-failed': 'ended, because the model gave no usable answer',
  'posting-failed': 'ended, because its changes could not be posted',
  'commit-differs': 'ended, because GitHub committed something else than was approved',
  expired: 'ended, because nobody decided in time',
  'access-lost': 'ended, because Countersign lost its access to the repository',
} as const satisfies Record<RunEnd, string>;

/** How a run ended, as words that follow “the run”. */
export function endingWords(how: RunEnd): string {
  return ENDINGS[how];
}

function waiting(proposals: readonly Proposal[]): string {
  const open = proposals.filter((proposal) => proposal.state === 'proposed').length;
  return open === 0
    ? '**Working.** Applying what was approved.'
    : `**Waiting** for people to decide on ${count(open, 'change')}.${untilWords(proposals)}`;
}

/** When the first of them expires. */
function untilWords(proposals: readonly Proposal[]): string {
  const times = proposals.flatMap(({ state, expiresAt }) => (state === 'proposed' ? (expiresAt ?? []) : []));
  const [first] = times.toSorted();
  return first === undefined ? '' : ` What nobody decides by ${timeWords(first)} expires.`;
}

function stateLine(phase: Phase, proposals: readonly Proposal[], share: number): string {
  switch (phase.kind) {
    case 'thinking':
      return '**Working.** The model is thinking.';
    case 'using-tools':
      return '**Working.** Reading files for the model.';
    case 'posting':
      return '**Working.** Posting the proposed changes.';
    case 'waiting':
      return waiting(proposals);
    case 'ended': {
      const by = phase.by === null ? '' : ` by ${loginText(phase.by)}`;
      const note = phase.note === null ? '' : ` ${escapeText([...phase.note].slice(0, NOTE_CAP * share).join(''))}`;
      return `**Ended.** The run ${ENDINGS[phase.how]}${by}.${note}`;
    }
  }
}

/** The end of a long path tells more than its beginning. */
function shortPath(path: string): string {
  const letters = [...path];
  return letters.length <= PATH_CAP ? path : `…${letters.slice(-PATH_CAP).join('')}`;
}

/** The file, and what would become of it where it does not stay where it is. */
function fileCell({ change }: Proposal): string {
  const file = cellSpan(shortPath(change.path));
  if (change.op === 'delete') return `${file} (delete)`;
  return change.from === null ? file : `${cellSpan(shortPath(change.from))} → ${file}`;
}

function row(proposal: Proposal, links: RepoLinks): string {
  const id = cellSpan(proposal.id);
  const where = proposal.comment === null ? id : link(id, proposal.comment.url);
  const what = proposal.origin.kind === 'undo' ? `${where} undoes ${cellSpan(proposal.origin.of)}` : where;
  const commit =
    proposal.commit === null ? '' : link(codeSpan(sha7(proposal.commit)), commitLink(links, proposal.commit));
  const cells = [what, fileCell(proposal), STATE_WORDS[proposal.state], deciders(proposal) ?? '', commit];
  return `| ${cells.join(' | ')} |`;
}

/**
 * An undo may be decided after another run has begun, and then nobody writes this comment again, unless it is committed:
 * one that waits stands in it only while the run goes on. The newest rows that fit, those still open before all others; what is left
 * out is counted.
 */
function table({ run, proposals: all, links }: RunView, limit: number): string {
  const proposals = all.filter(
    (one) => one.origin.kind === 'call' || run.phase.kind !== 'ended' || one.commit !== null,
  );
  if (proposals.length === 0) return '';
  const byWorth = [...proposals.filter(isOpen).toReversed(), ...proposals.filter((one) => !isOpen(one)).toReversed()];
  const rows = new Map<string, string>();
  let used = 0;
  for (const proposal of byWorth) {
    const text = row(proposal, links);
    used += byteLength(text) + 1;
    if (used > limit) break;
    rows.set(proposal.id, text);
  }
  const shown = proposals.flatMap((proposal) => rows.get(proposal.id) ?? []);
  const left = proposals.length - shown.length;
  const head = ['| Change | File | State | By | Commit |', '|---|---|---|---|---|'];
  return blocks([...head, ...shown].join('\n'), left === 0 ? '' : `${count(left, 'earlier change')} not listed here.`);
}

/** Said from our own records alone, whatever the model claims. */
function changedLine({ run, proposals }: RunView): string {
  const applied = proposals.filter((proposal) => proposal.state === 'completed');
  if (applied.length === 0 && run.commits.length === 0) return 'Nothing has been changed yet.';
  // People commit suggestions themselves: those commits are not the run's, but they hold what it proposed.
  const commits = new Set([...run.commits, ...applied.flatMap(({ commit }) => commit ?? [])]);
  return `${count(applied.length, 'change')} applied in ${count(commits.size, 'commit')}.`;
}

/** A review that goes on blocking the pull request although nothing waits, and who can end that. */
function keptLine({ reviews }: Run): string {
  const kept = reviews.filter(({ stands }) => stands === 'kept');
  const links = kept.map(({ url }) => link('this request for changes', url));
  return kept.length === 0
    ? ''
    : `⚠️ GitHub does not let Countersign dismiss ${listOf(links)}, although nothing of it waits any more. Somebody who may dismiss reviews here has to: an administrator, or whoever the branch’s protection names.`;
}

function steering(phase: Phase): string {
  if (phase.kind === 'ended')
    return `${isResumable(phase.how) ? `${codeSpan('/resume')} lets it go on, ` : ''}${codeSpan('/countersign <task>')} starts a new run, ${codeSpan('/help')} lists all commands.`;
  const go = phase.kind === 'waiting' ? `${codeSpan('/continue')} goes on without the undecided changes, ` : '';
  return `${go}${codeSpan('/stop')} ends the run, ${codeSpan('/help')} lists all commands.`;
}

const PATHS_NAMED = 20;

/** What the model was shown as a whole or in lines; nothing where it read no file. */
function readLine({ read }: Run): string {
  const paths = Object.keys(read).toSorted();
  const named = paths.slice(0, PATHS_NAMED).map((path) => codeSpan(shortPath(path)));
  const left = paths.length - named.length;
  if (paths.length === 0) return '';
  return `The model read ${left === 0 ? listOf(named) : `${named.join(', ')} and ${count(left, 'more file')}`}.`;
}

function usageLine({ run, queued }: RunView): string {
  const asked = run.questions === 0 ? '' : ` and ${count(run.questions, 'answered question')}`;
  const tokens = `${thousands(run.usage.input + run.usage.output)} tokens used in ${count(run.turns, 'model response')}${asked}.`;
  // The next one begins as soon as this one is over, and nobody writes this comment again for that.
  return queued === 0 || run.phase.kind === 'ended'
    ? tokens
    : `${tokens} ${count(queued, 'more task')} waiting behind this one.`;
}

/** The run's one comment, edited in place from the task to the end. At most 60,000 bytes of UTF-8. */
export function renderRun(view: RunView): string {
  let text = '';
  for (const share of SHARES) {
    text = renderShare(view, share);
    if (byteLength(text) <= BODY_LIMIT) break;
  }
  return text;
}

function renderShare(view: RunView, share: number): string {
  const { run } = view;
  return blocks(
    runMarker(run.id),
    stateLine(run.phase, view.proposals, share),
    `${loginText(run.task.by)} asked:`,
    quote(run.task.text, Math.floor(TASK_CAP * share)),
    run.phase.kind === 'ended' ? '' : blocks(forkLine(run), ruleLine(run), sameBranchLine(run)),
    table(view, TABLE_LIMIT * share),
    changedLine(view),
    keptLine(run),
    run.summary === null ? '' : modelWords('Closing words', run.summary, SUMMARY_CAP * share),
    readLine(run),
    usageLine(view),
    steering(run.phase),
  );
}
