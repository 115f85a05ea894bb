import { parseArgs } from 'node:util';
import { type OptionsReading, onlyWord, problem, readOptions as read } from '../options/read-options.ts';
import type { Permission } from '../run/proposal.ts';
import { PERMISSIONS } from './read-state.ts';

/** What is to be explained, and how; null is “not given”. */
export type ExplainOptions = {
  readonly delivery: string;
  /** GitHub's event, for a file that holds the payload alone. */
  readonly event: string | null;
  /** A file with what was stored and known when the delivery came. */
  readonly state: string | null;
  readonly slug: string | null;
  readonly botId: number | null;
  /** What GitHub says of the person, instead of what the state holds. */
  readonly permission: Permission | null;
  readonly json: boolean;
};

export const EXPLAIN_HELP = `Usage: countersign explain <delivery.json> [options]

Says what a recorded webhook delivery is read as, what it takes to decide it, and, with the state
of that moment, what is decided and done. Reads files only: no network, no credentials.

  <delivery.json>  {"headers": …, "payload": …}, GitHub's own record of a delivery
                   ({"request": {"headers": …, "payload": …}}), or a bare payload with --event
  --event NAME     GitHub's event of a bare payload, such as issue_comment
  --state FILE     {"pull": …, "facts": …, "permissions": {"<user id>": "write", …}}: the stored
                   pull request and what GitHub told, as recordings have it
  --permission P   what if the person had it: admin, maintain, write, read or none
  --slug NAME      the App's name on GitHub; default is countersign
  --bot-id NUMBER  the id of the App's bot account, to tell its own events
  --json           the same for programs
  --help           this text
`;

const OPTIONS = {
  event: { type: 'string' },
  state: { type: 'string' },
  slug: { type: 'string' },
  permission: { type: 'string' },
  'bot-id': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const DELIVERY = {
  missing: 'The file with the delivery is missing.',
  several: 'One delivery is explained at a time.',
};

/** Reads what stands behind `countersign explain`. Never throws. */
export function readOptions(argv: readonly string[]): OptionsReading<ExplainOptions> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: true });
  return read('countersign explain', parse, ({ values, positionals }) => {
    const delivery = onlyWord(positionals, DELIVERY);
    if (delivery.kind === 'problem') return delivery;
    const { event = null, state = null, slug = null, json = false } = values;
    const id = values['bot-id'];
    if (id !== undefined && !/^\d{1,15}$/.test(id)) return problem('--bot-id needs a number.');
    const permission = PERMISSIONS.find((one) => one === values.permission) ?? null;
    if (values.permission !== undefined && permission === null)
      return problem(`--permission is one of ${PERMISSIONS.join(', ')}.`);
    const botId = id === undefined ? null : Number(id);
    return { kind: 'options', options: { delivery: delivery.options, event, state, slug, botId, permission, json } };
  });
}
