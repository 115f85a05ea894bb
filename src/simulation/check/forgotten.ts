import type { Check } from './evidence.ts';

/** I15: long after everything was over nobody's words are left, in the ledger neither. */
export const wordsAreForgotten: Check = ({ played, remains }) =>
  played.forgot && remains.words > 0 ? [`I15: ${remains.words} rows still hold words`] : [];

/** An id names one proposal for ever, whatever was forgotten in between. */
export const idsNameOneProposal: Check = ({ saved }) => {
  const known = new Map<string, string>();
  return saved.flatMap(({ saved: { step } }) =>
    step.pull.proposals.flatMap(({ id, runId }) => {
      const first = known.get(id) ?? runId;
      known.set(id, first);
      return first === runId ? [] : [`${id} names a proposal of ${first} and one of ${runId}`];
    }),
  );
};
