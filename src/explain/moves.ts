import type { Pull } from '../run/run.ts';

/** What changes in the stored state: of a proposal, the run, or the queues of tasks and questions. */
export type Move = { readonly what: string; readonly from: string; readonly to: string };

/** Every change of state between two views of one pull request, in words. */
export function movesOf(before: Pull, after: Pull): readonly Move[] {
  const proposals = after.proposals.map((one) => {
    const was = before.proposals.find(({ id }) => id === one.id);
    return { what: one.id, from: was?.state ?? 'none', to: one.state };
  });
  const all = [
    { what: 'run', from: runWords(before), to: runWords(after) },
    ...proposals,
    { what: 'tasks in the queue', from: String(before.queue.length), to: String(after.queue.length) },
    { what: 'questions in the queue', from: String(before.questions.length), to: String(after.questions.length) },
  ];
  return all.filter(({ from, to }) => from !== to);
}

function runWords({ run }: Pull): string {
  if (run === null) return 'none';
  const { phase } = run;
  return phase.kind === 'ended' ? `ended (${phase.how})` : `${phase.kind}, turn ${phase.turn}`;
}
