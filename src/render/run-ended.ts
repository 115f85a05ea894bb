import type { Answer } from '../run/answer.ts';
import { isResumable } from '../run/run.ts';
import { blocks, codeSpan, escapeText, link, modelWords } from './markdown.ts';
import { mention } from './mention.ts';
import { endingWords } from './run-comment.ts';
import { loginText } from './verdict.ts';
import { commitLink, listOf, type RepoLinks, sha7 } from './words.ts';

type Ended = Extract<Answer, { kind: 'run-ended' }>;

const NOTE_CAP = 2_000;
const DROPPED_AT_MOST = 10;
const DROPPED_CAP = 200;
const COMMITS_AT_MOST = 20;

/** T10: what people read where a person's word ended the run. */
const CANCELLED = 'Rejected. Agent response cancelled.';

function changed({ commits, proposed }: Ended, links: RepoLinks): string {
  if (commits.length === 0) return proposed ? 'nothing was changed' : 'no change was proposed';
  const shown = commits.slice(-COMMITS_AT_MOST).map((sha) => link(codeSpan(sha7(sha)), commitLink(links, sha)));
  return `its changes are in ${listOf(shown)}`;
}

/** Ends whose note is a sentence of ours or of GitHub's, not the model's closing words. */
const OWN_NOTES: ReadonlySet<Ended['how']> = new Set<Ended['how']>([
  'model-failed',
  'posting-failed',
  'commit-differs',
]);

function noteText({ how, note }: Ended): string {
  if (note === null || note.trim() === '') return '';
  return OWN_NOTES.has(how)
    ? escapeText([...note].slice(0, NOTE_CAP).join(''))
    : modelWords('Closing words', note, NOTE_CAP);
}

/** The tasks that were queued and will not begin. */
export function droppedText(dropped: readonly string[]): string {
  if (dropped.length === 0) return '';
  const rows = dropped
    .slice(0, DROPPED_AT_MOST)
    .map((task) => `- ${escapeText([...task].slice(0, DROPPED_CAP).join(''))}`);
  const left = dropped.length - rows.length;
  return blocks('These queued tasks were dropped:', [...rows, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n'));
}

function whatNext(how: Ended['how']): string {
  if (how === 'closed' || how === 'merged') return '';
  const another = `${codeSpan('/countersign <task>')} starts another run.`;
  if (!isResumable(how)) return another;
  const again = how === 'expired' ? ' and proposes what expired again, for the branch as it is then' : '';
  return `${codeSpan('/resume')} lets it go on, while no other has begun${again}. ${another}`;
}

/** The end of a run, told once to the person who started it. */
export function runEnded(answer: Ended, { links }: { readonly links: RepoLinks }): string {
  const { how, by, dropped, requester } = answer;
  const byPerson = how === 'stopped' || how === 'closed' || how === 'merged';
  const who = by === null ? '' : ` by ${loginText(by)}`;
  return blocks(
    byPerson ? CANCELLED : '',
    `${mention(requester.login)}, the run ${endingWords(how)}${how === 'stopped' ? who : ''}; ${changed(answer, links)}.`,
    noteText(answer),
    droppedText(dropped),
    whatNext(how),
  );
}
