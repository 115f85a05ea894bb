import type { Pull } from '../run/run.ts';

/** What a pull request's own row holds; its run and proposals have tables of their own. */
export type PullState = Omit<Pull, 'run' | 'proposals'>;

export function pullState(pull: Pull): PullState {
  const { run: _run, proposals: _proposals, ...state } = pull;
  return state;
}
