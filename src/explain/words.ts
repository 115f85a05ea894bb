import type { Intent, Place, SaidIntent } from '../command/intent.ts';
import type { AccessLoss, Notice } from '../command/notice.ts';
import { visible } from '../render/visible.ts';
import type { Step } from '../run/step.ts';
import type { Account, Outcome } from './account.ts';
import { decidedBy } from './decided-by.ts';
import { effectWords } from './effect-words.ts';
import { IGNORED } from './ignored.ts';
import { eventWords, utteranceWords } from './intent-words.ts';
import { movesOf } from './moves.ts';
import { needWords } from './need-words.ts';

/** What a line is about, and what it says. */
type Row = readonly [string, string];

const WIDTH = 10;
const LONGEST = 300;

/** The account for people: one line for each thing there is to say. */
export function accountText(account: Account): string {
  const { delivery, line, meaning, outcome } = account;
  const action = delivery.action === null ? '' : `, ${delivery.action}`;
  const id = delivery.id === null ? '' : ` (${delivery.id})`;
  const rows: readonly Row[] = [
    ['delivery', `${delivery.event}${action}${id}`],
    ...(line === null ? [] : ([['line', line]] as const)),
    ...meaningRows(meaning),
    ...outcomeRows(outcome, meaning.kind === 'intent' ? meaning.intent : null),
  ];
  return `${rows.map(([what, words]) => `${what.padEnd(WIDTH)}${oneLine(words)}`).join('\n')}\n`;
}

/** Whatever a text holds, it stays on its line, and a terminal obeys none of it. */
function oneLine(text: string): string {
  const letters = [...visible(text.replaceAll(/\s+/g, ' ').trim())];
  return letters.length <= LONGEST
    ? letters.join('')
    : `${letters.slice(0, LONGEST).join('')} … (${letters.length} characters)`;
}

function meaningRows(meaning: Account['meaning']): readonly Row[] {
  switch (meaning.kind) {
    case 'nothing':
      return [['read as', `nothing (${meaning.reason}): ${IGNORED[meaning.reason]}`]];
    case 'intent':
      return intentRows(meaning.intent);
    case 'notice':
      return noticeRows(meaning.notice);
  }
}

function noticeRows(notice: Notice): readonly Row[] {
  const { installationId, repositoryIds } = notice;
  const which = repositoryIds === null ? '' : `, repositories ${repositoryIds.join(', ')}`;
  return [
    ['on', `every pull request of installation ${installationId}${which} where something goes on`],
    ['read as', notice.kind === 'access-lost' ? lossWords(notice.loss) : BACK],
  ];
}

const BACK = 'the App may work there again: what was said meanwhile is read from the pull requests';

function lossWords(loss: AccessLoss): string {
  return `the App may no longer work there (${loss})`;
}

function intentRows(intent: Intent): readonly Row[] {
  const { pull, actor } = intent;
  return [
    ['on', `${pull.owner}/${pull.repo}#${pull.number} (installation ${pull.installationId})`],
    ['by', `${actor.login} (${actor.type}, ${actor.id})`],
    ...('place' in intent && isPlace(intent.place) ? ([['where', placeWords(intent.place)]] as const) : []),
    ...('createdAt' in intent ? ([['when', String(intent.createdAt)]] as const) : []),
    ['read as', intent.kind === 'said' ? utteranceWords(intent.utterance) : eventWords(intent)],
    ...(intent.kind === 'said' ? quoteRows(intent) : []),
  ];
}

function isPlace(place: Place | null | undefined): place is Place {
  return place !== null && place !== undefined;
}

function placeWords(place: Place): string {
  switch (place.at) {
    case 'conversation':
      return `the conversation, comment ${place.commentId}`;
    case 'thread':
      return `the review thread of comment ${place.rootId} on ${place.path}, comment ${place.commentId}`;
    case 'review':
      return `the body of review ${place.reviewId}`;
  }
}

function quoteRows({ quotedIds }: SaidIntent): readonly Row[] {
  return quotedIds.length === 0 ? [] : [['quotes', quotedIds.map(({ id }) => id).join(', ')]];
}

function outcomeRows(outcome: Outcome, intent: Intent | null): readonly Row[] {
  switch (outcome.kind) {
    case 'none':
      return [['decided', 'nothing: the delivery is answered, and not stored']];
    case 'unknown':
      return intent === null ? [] : decidedBy(intent).map((words) => ['depends', words] as const);
    case 'lacking':
      return outcome.needs.map(
        (need) => ['lacks', `the state does not hold what is asked of GitHub next: ${needWords(need)}`] as const,
      );
    case 'decided':
      return decidedRows(outcome.before, outcome.step);
  }
}

function decidedRows(before: Parameters<typeof movesOf>[0], step: Step): readonly Row[] {
  return [
    ['reason', step.wait ? `${step.reason}: looked at again a little later` : step.reason],
    ...step.votes.map(({ action, proposalId, by }) => ['vote', `${action} of ${proposalId} by ${by.login}`] as const),
    ...movesOf(before, step.pull).map(({ what, from, to }) => ['becomes', `${what}: ${from} → ${to}`] as const),
    ...(step.messages.length === 0 ? [] : ([['told', `${step.messages.length} messages for the model`]] as const)),
    ...step.effects.map((effect) => ['does', effectWords(effect)] as const),
    ...(step.effects.length === 0 ? ([['does', 'nothing']] as const) : []),
  ];
}
