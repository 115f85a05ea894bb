import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import { offloadOutputAs } from '../../../src/lib/trust.ts';
import { type Offload, OffloadError, offloadInline } from '../../../src/worker/offload/offload.ts';

/**
 * Grammars load files in real time, which virtual time does not wait for. Outlines count as crashed here, and changes
 * are checked as if their files were YAML.
 */
const offloadVirtually: Offload = (name, input) => {
  if (name === 'outlineFile') return Promise.reject(new OffloadError('crash', 'no grammars in the simulation'));
  return offloadInline(name, name === 'checkSyntax' ? Object.assign({}, input, { path: 'stand-in.yaml' }) : input);
};

/** Outputs of about a hundred cases, a few kilobytes each. */
const MAX_KEPT_OUTPUTS = 2_000;

/**
 * Keeps outputs, because cases often compute the same from the same files: the computations are pure, so a kept output
 * is what another computation would give. The oldest ones are forgotten first.
 */
export function rememberOutputs(offload: Offload): Offload {
  const outputs = new Map<string, unknown>();
  return async (name, input) => {
    const key = `${name} ${hash('sha256', serialize(input), 'base64')}`;
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
