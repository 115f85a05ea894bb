import { listCommits } from '../git/list-commits.ts';
import type { Objects } from '../git/objects.ts';
import { readChanges } from './history.ts';
import type { FidelityOptions } from './options.ts';
import { openPacks, type Sample, sampleOf } from './packs.ts';
import { countRefusal, type Tally } from './tally.ts';

type Wanted = Pick<FidelityOptions, 'range' | 'show' | 'max'> & { readonly gitDir: string };

/** The changes of a range put together, newest first; counts the commits, and what no tool can ask for. */
export async function* readSamples(objects: Objects, wanted: Wanted, tally: Tally): AsyncGenerator<Sample, void> {
  const { gitDir, range, show, max } = wanted;
  const packs = openPacks();
  let taken = 0;
  for await (const listed of listCommits({ gitDir, range, options: ['--no-merges'] })) {
    if (taken === max) break;
    for await (const read of readChanges(objects, listed, show)) {
      if (taken === max) break;
      if (read.kind === 'taken') {
        taken += 1;
        const pack = packs.add(read.taken);
        if (pack !== null) yield await sampleOf(objects, pack);
      } else countRefusal(tally, read.skipped.why, `${read.skipped.commit} ${read.skipped.path}`);
    }
    tally.commits += 1;
  }
  for (const pack of packs.rest()) yield await sampleOf(objects, pack);
}
