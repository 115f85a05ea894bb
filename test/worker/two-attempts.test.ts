import { expect, it } from 'vitest';
import type { Write } from '../../src/run/proposal.ts';
import type { Context } from '../../src/worker/context.ts';
import { GitHubFault } from '../../src/worker/ports.ts';
import { openVirtualApp } from './virtual-app.ts';

/** What goes wrong once with GitHub, as soon as it is said here. */
type Trouble = { readsFail: boolean; answerLost: boolean };

const PROPOSAL = { id: 'call-1', name: 'edit_file', arguments: '{"path":"a.txt","old_string":"1","new_string":"2"}' };
const USAGE = { input: 0, cachedInput: 0, output: 0 };

/** An App whose model proposes one change, with everything that its ledger is given. */
function proposes(trouble: Trouble, ledger: Write[]) {
  return ({ store, githubs, model, ...context }: Context): Context => ({
    ...context,
    store: {
      ...store,
      save: (claim, signal, step, now) => {
        ledger.push(...step.writes);
        return store.save(claim, signal, step, now);
      },
    },
    model: {
      ...model,
      ask: async (messages, ...rest) =>
        messages.some(({ role }) => role === 'assistant')
          ? model.ask(messages, ...rest)
          : { content: null, calls: [PROPOSAL], finishReason: 'tool_calls', usage: USAGE },
    },
    githubs: {
      ...githubs,
      for: (ref) => {
        const github = githubs.for(ref);
        const fails = (what: keyof Trouble): void => {
          if (!trouble[what]) return;
          trouble[what] = false;
          throw new GitHubFault('GitHub went away', 502, null);
        };
        return {
          ...github,
          pull: async () => {
            fails('readsFail');
            return github.pull();
          },
          commit: async (plan) => {
            const outcome = await github.commit(plan);
            fails('answerLost');
            return outcome;
          },
        };
      },
    },
  });
}

it('G3, S78: a commit whose answer is lost is found by another attempt for the same change, and stands in the ledger', async () => {
  const trouble: Trouble = { readsFail: false, answerLost: false };
  const ledger: Write[] = [];
  const app = openVirtualApp({ bend: proposes(trouble, ledger) });
  const pull = app.installedFor('acme').opens();
  const [ana, ben] = [pull.person('ana', 'write'), pull.person('ben', 'write')];
  const here = () => app.gateway.state().world.repositories.get(pull.ref.repositoryId)?.pulls.get(pull.ref.number);
  const aMinute = () => app.playOn(app.now() + 60_000);
  ana.says('@countersign do it');
  await aMinute();
  const [thread = 0] = here()?.reviewComments.keys() ?? [];

  trouble.readsFail = true;
  ana.replies(thread, '/approve');
  await app.settle();
  expect(trouble.readsFail).toBe(false);

  // Ben's words want a commit too, and are heard when the first one is due again: its answer is lost, then comes Ben's.
  app.pass(60_000);
  trouble.answerLost = true;
  ben.replies(thread, '```suggestion\n3\n```');
  const before = here()?.head.sha;
  await app.settle();
  const after = here()?.head.sha;
  await aMinute();

  expect(trouble.answerLost).toBe(false);
  expect(after).not.toBe(before);
  expect(here()?.head.sha).toBe(after);
  expect(ledger.map(({ commit, parent }) => [commit, parent])).toEqual([[after, before]]);
});
