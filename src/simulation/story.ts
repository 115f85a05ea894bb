import type { Notice } from '../command/notice.ts';
import type { PlayedCase } from './case.ts';
import { START } from './scene.ts';
import type { Happening } from './trace.ts';

/** A case as a story: a line for each thing that mattered, with its time in seconds. */
export function storyOf({ trace }: PlayedCase): readonly string[] {
  return trace.happenings.flatMap((happening) => {
    const words = wordsOf(happening);
    return words === null ? [] : [`${((happening.at - START) / 1_000).toFixed(3).padStart(9)}  ${words}`];
  });
}

function wordsOf(happening: Happening): string | null {
  switch (happening.kind) {
    case 'deed':
      return `${happening.who} ${happening.what}`;
    case 'fault':
      return `    !! ${happening.fault} at ${happening.where}`;
    case 'words':
      return `    ${happening.text}`;
    case 'received':
      return `    ${happening.delivery.id} is ${happening.receipt}: ${happening.delivery.intent.kind}`;
    case 'told':
      return `    is told of its installation: ${noticeWords(happening.notice)} (${happening.receipt})`;
    case 'saved':
      return savedWords(happening);
    case 'committed':
      return `    commit of ${happening.plan.proposalIds.join(', ')}: ${JSON.stringify(happening.outcome)}`;
    case 'effect-begun':
      return `    begins ${happening.effect.effect.type}, try ${happening.effect.attempts}`;
    case 'answered':
    case 'claimed':
    case 'effect-finished':
    case 'permission':
      return null;
  }
}

function noticeWords(notice: Notice): string {
  return notice.kind === 'access-lost' ? `access is lost, ${notice.loss}` : 'it may act again';
}

function savedWords({ signal, step, result, before }: Extract<Happening, { kind: 'saved' }>): string {
  const what = signal.type === 'intent' ? `${signal.intent.kind} (${signal.deliveryId})` : signal.type;
  const moves = step.pull.proposals
    .filter(({ id, state }) => before.get(id) !== state)
    .map(({ id, state }) => `${id} ${before.get(id) ?? 'new'} to ${state}`);
  const wanted = step.effects.map(({ type }) => type).join(', ');
  return `    ${what}: ${step.reason} (${result}) ${[...moves, ...(wanted === '' ? [] : [`wants ${wanted}`])].join('; ')}`;
}
