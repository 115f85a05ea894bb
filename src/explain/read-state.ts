import { z } from 'zod';
import type { Facts } from '../run/facts.ts';
import type { FilesAt } from '../run/judging.ts';
import { type Permission, PROPOSAL_STATES } from '../run/proposal.ts';
import type { SeenOfUndone } from '../run/reverse.ts';
import { type Pull, RUN_SCHEMA } from '../run/run.ts';
import { storedAs } from '../trust.ts';
import { jsonIn } from './read-delivery.ts';
import { type Reading, refused } from './reading.ts';

/** What was stored of the pull request when the delivery came, and what GitHub told when it was asked. */
export type RecordedState = {
  readonly pull: Pull;
  readonly facts: RecordedFacts;
  /** By user id: a permission is one person's, whoever spoke. */
  readonly permissions: Readonly<Record<string, Permission>>;
};

/** A permission is one person's; what is worked out from files is worked out anew. */
export type RecordedFacts = Partial<Omit<Facts, 'permission' | 'judged' | 'reverse' | 'ownText'>> & {
  readonly files?: { readonly atBase: FilesAt; readonly atHead: FilesAt };
  readonly undone?: SeenOfUndone;
};

/** What GitHub's permission endpoint may say of a person. */
export const PERMISSIONS = ['admin', 'maintain', 'write', 'read', 'none'] as const satisfies readonly Permission[];

/** Enough of a stored pull request to tell it from any other JSON; the rest has the form that this version writes. */
const State = z.looseObject({
  pull: z.looseObject({
    ref: z.looseObject({ installationId: z.number(), repositoryId: z.number(), owner: z.string(), repo: z.string() }),
    run: z
      .looseObject({
        schema: z.literal(RUN_SCHEMA),
        id: z.string(),
        phase: z.looseObject({ kind: z.string() }),
        task: z.looseObject({ text: z.string(), askedAt: z.string() }),
      })
      .nullable(),
    queue: z.array(z.looseObject({ text: z.string() })),
    questions: z.array(z.looseObject({ text: z.string() })),
    proposals: z.array(
      z.looseObject({
        id: z.string(),
        state: z.enum(PROPOSAL_STATES),
        votes: z.array(z.looseObject({ action: z.string() })),
        change: z.looseObject({ path: z.string(), digest: z.string() }),
      }),
    ),
    refused: z.array(z.number()),
  }),
  facts: z
    .looseObject({ permission: z.never('belongs to nobody here: keep it in permissions, by user id').optional() })
    .default({}),
  permissions: z.record(z.string().regex(/^\d+$/), z.enum(PERMISSIONS)).default({}),
});

/** Reads a recorded state. */
export function readState(text: string): Reading<RecordedState> {
  const json = jsonIn(text);
  if (json === undefined) return refused('does not hold JSON');
  const read = State.safeParse(json);
  if (read.success) return { kind: 'read', value: storedAs<RecordedState>(read.data) };
  const [issue] = read.error.issues;
  return refused(`is not a recorded state: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}
