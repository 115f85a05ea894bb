import type { ScriptedCall } from '../../../fakes/model/script.ts';
import type { Stage } from './stage.ts';
import { edit, type Story } from './story.ts';

/** An edit of `src/total.ts` in the default files. */
export const BIGINT = edit('src/total.ts', '  let total = 0;\n', '  let total = 0n;\n');

/** An edit of `README.md` in the default files. */
export const EXACTLY = edit('README.md', 'Sells things.', 'Sells things, exactly.');

/** A pull request with these pending changes. */
export async function propose(stage: Stage, ...calls: readonly ScriptedCall[]): Promise<Story> {
  const story = await stage.tell();
  story.model.proposes(...calls);
  await story.ana.says('/countersign use bigint');
  return story;
}

/** The state of each proposal, in the order of the calls. */
export async function proposalStates({ stored }: Pick<Story, 'stored'>): Promise<readonly string[]> {
  return (await stored()).proposals.map(({ state }) => state);
}
