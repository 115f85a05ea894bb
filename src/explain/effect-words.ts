import type { Place } from '../command/intent.ts';
import { commandTable } from '../command/table.ts';
import { renderAnswer } from '../render/answer.ts';
import type { Effect, EffectType } from '../run/effect.ts';

/** What each effect does, as words that follow “it would”. */
const EFFECTS = {
  'ask-model': 'send the transcript to the model',
  'ask-question': 'put the question to the model, on a copy of the transcript',
  'use-tools': 'serve the model’s calls',
  'post-review': 'post the proposals together',
  commit: 'commit what is approved',
  'show-review': 'put back the text of the App’s own review',
  'dismiss-review': 'dismiss the App’s own request for changes',
  'see-thread': 'look whether the thread is still resolved',
  'see-outdated': 'look which threads GitHub has put out of date',
  'see-deadline': 'see later what has waited long enough',
  'catch-up': 'hear what was said while nobody could tell',
  expire: 'let expire what nobody decided in time',
  'start-next': 'begin with the oldest queued task',
  'show-proposal': 'bring the proposal’s comment up to date',
  'show-run': 'bring the run comment up to date',
  react: 'react',
  answer: 'answer',
} as const satisfies Record<EffectType, string>;

/** An effect in one line. */
export function effectWords(effect: Effect): string {
  const words = EFFECTS[effect.type];
  switch (effect.type) {
    case 'react':
      return `${words} with ${effect.content} ${placeWords(effect.place)}`;
    case 'answer':
      return `${words} ${placeWords(effect.to)}: ${answerText(effect)}`;
    case 'commit':
    case 'post-review':
      return `${words}: ${effect.proposalIds.join(', ')}`;
    case 'show-proposal':
      return `${words}: ${effect.proposalId}`;
    default:
      return words;
  }
}

function placeWords(place: Place | { readonly at: 'pull' }): string {
  switch (place.at) {
    case 'thread':
      return 'in the thread';
    case 'review':
      return 'on the review';
    case 'conversation':
    case 'pull':
      return 'in the conversation';
  }
}

/** The answer as it would be posted, without its hidden first line; its links lead to no site. */
function answerText({ answer }: Extract<Effect, { type: 'answer' }>): string {
  const text = renderAnswer(answer, { links: { repository: '' }, commands: commandTable });
  return text.replace(/^<!--.*?-->\s*/, '');
}
