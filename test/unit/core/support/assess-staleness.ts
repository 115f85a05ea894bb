import { assessProposedMove, type FilesByPath, pathPush } from '../../../../src/core/actions/head-assessment.ts';
import { assessPush } from '../../../../src/core/policy/staleness.ts';
import type { Staleness, StalenessInput } from '../../../../src/core/state/head-changes.ts';

/** Assesses all proposals at once, from files in memory. */
export function assessStaleness({ paths, moves }: StalenessInput, atBase: FilesByPath, atHead: FilesByPath): Staleness {
  return {
    paths: paths.flatMap((input) => {
      const { path } = input;
      const push = pathPush(input, atBase[path] ?? null, atHead[path] ?? null);
      return push === null ? [] : [{ path, ...assessPush(push) }];
    }),
    moves: moves.map((one) => assessProposedMove(one, atHead)),
  };
}
