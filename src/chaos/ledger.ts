import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { commitsOn } from './page.ts';
import type { Decision, Deeds } from './people.ts';
import { CLI } from './replica.ts';
import type { Site } from './site.ts';

const Line = z.object({
  pullRequest: z.number(),
  proposalId: z.string(),
  state: z.string(),
  writes: z.array(z.object({ commit: z.string() })),
});
/** What the ledger has of one proposal, as far as it is compared. */
export type LedgerLine = z.infer<typeof Line>;

const STATES: Readonly<Record<Decision['says'], string>> = { approve: 'completed', deny: 'rejected' };

/** The ledger as an operator gets it. No process may have an embedded database open. Throws where the command fails. */
export async function exportLedger(environment: Readonly<Record<string, string>>): Promise<readonly LedgerLine[]> {
  const child = spawn(process.execPath, [CLI, 'export'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const [lines, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`countersign export ended with ${code}: ${errors.slice(-500)}`);
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Line.parse(JSON.parse(line)));
}

/** A line for everything that was decided or committed and that the ledger does not have, once and so. */
export function ledgerWrong(site: Site, deeds: readonly Deeds[], ledger: readonly LedgerLine[]): readonly string[] {
  const byName = Map.groupBy(ledger, ({ pullRequest, proposalId }) => `#${pullRequest}: ${proposalId}`);
  return deeds.flatMap(({ pull, decisions }) => {
    const commits = commitsOn(site, pull);
    return [...new Set([...decisions.keys(), ...commits.keys()])].flatMap((id) => {
      const name = `#${pull.number}: ${id}`;
      const lines = byName.get(name) ?? [];
      const [line] = lines;
      if (line === undefined || lines.length > 1) return [`${name}: the ledger has it ${lines.length} times`];
      const says = decisions.get(id)?.says ?? null;
      const [made, written] = [commits.get(id) ?? [], line.writes.map(({ commit }) => commit)].map((shas) =>
        shas.toSorted().join(', '),
      );
      return [
        ...(made === written ? [] : [`${name}: the branch has the commits ${made}, the ledger ${written}`]),
        ...(says === null || line.state === STATES[says]
          ? []
          : [`${name}: ${says}, and the ledger says ${line.state}`]),
      ];
    });
  });
}
