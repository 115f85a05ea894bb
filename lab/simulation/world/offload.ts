import { serialize } from 'node:v8';
import { offloadOutputAs } from '../../../src/lib/trust.ts';
import { type Offload, OffloadError, type OffloadName, offloadInline } from '../../../src/worker/offload/offload.ts';

/**
 * Grammars load files in real time, which virtual time does not wait for. Outlines count as crashed here, and changes
 * are checked as if their files were YAML.
 */
const offloadVirtually: Offload = (name, input) => {
  if (name === 'parsedOutline') return Promise.reject(new OffloadError('crash', 'no grammars in the simulation'));
  return offloadInline(name, name === 'checkSyntax' ? Object.assign({}, input, { path: 'stand-in.yaml' }) : input);
};

/** Outputs of about a hundred cases, a few kilobytes each. */
const MAX_KEPT_OUTPUTS = 2_000;

/** Their inputs have ids, times and commits of one case, so a copy of each to look it up costs more than it saves. */
const SELDOM_REPEATED: ReadonlySet<OffloadName> = new Set([
  'draftComments',
  'draftCommentsAt',
  'findShownDigest',
  'renderPostedProposal',
  'assessPush',
  'applyUserEdit',
  'computeUndo',
  'formatDiscussion',
] satisfies readonly OffloadName[]);

/** More than a single case computes, so that a replayed case fails as it did before. */
const PROVING_COPIES = 200;

/**
 * Keeps outputs, because cases often compute the same from the same files: the computations are pure, so a kept output
 * is what another computation would give. The oldest ones are forgotten first. A copy of an input proves that it can
 * be sent to a thread; of inputs that seldom repeat, the first ones are copied for this alone.
 */
export function rememberOutputs(offload: Offload): Offload {
  const outputs = new Map<string, unknown>();
  const copied = new Map<OffloadName, number>();
  return async (name, input) => {
    const count = copied.get(name) ?? 0;
    if (SELDOM_REPEATED.has(name) && count === PROVING_COPIES) return offload(name, input);
    copied.set(name, count + 1);
    const key = `${name} ${serialize(input).toString('latin1')}`;
    const known = outputs.get(key);
    if (known !== undefined) return offloadOutputAs(known);
    const output = await offload(name, input);
    outputs.set(key, output);
    const [oldest] = outputs.keys();
    if (outputs.size > MAX_KEPT_OUTPUTS && oldest !== undefined) outputs.delete(oldest);
    return output;
  };
}

/** The computations of all cases in this thread. */
export const simulatedOffload = rememberOutputs(offloadVirtually);
