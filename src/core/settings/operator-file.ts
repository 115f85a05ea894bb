import type { z } from 'zod';
import { isRecord } from '../../lib/trust.ts';
import type { ModelPrice } from '../state/spending.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { findModelProblems, type ModelOffer, offeredModels } from './models.ts';
import { readSettings } from './settings-file.ts';
import { OperatorFileSchema } from './settings-schema.ts';
import type { SetValues } from './strictness.ts';

/** The content of `CONFIG_FILE`. */
export type OperatorSettings = ModelOffer & {
  /** Replace the built-in defaults of a repository's settings. */
  readonly defaults: SetValues;
  /** Bounds that a repository can only tighten. */
  readonly ceilings: SetValues;
  /** By model. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
};

/** Without a `CONFIG_FILE`. */
export const NO_OPERATOR_SETTINGS: OperatorSettings = {
  defaults: {},
  ceilings: {},
  defaultModel: null,
  models: [],
  prices: new Map(),
};

/** A file that is being written is empty for a moment, and read then it would take every bound away. */
const EMPTY_FILE = 'line 1: the file is empty; without any settings it is a comment, such as "# none"';

type OperatorReading =
  | { readonly kind: 'values'; readonly values: OperatorSettings }
  /** One line each. */
  | { readonly kind: 'broken'; readonly problems: readonly string[] };

/**
 * Reads the operator's file, or returns every problem, one line each. `defaultModel` is `OPENAI_MODEL`, or null where
 * that is not known. Never throws.
 */
export function parseOperatorFile(found: SettingsFileLookup, defaultModel: string | null): OperatorReading {
  if (found.kind === 'file' && found.bytes.byteLength === 0) return { kind: 'broken', problems: [EMPTY_FILE] };
  const reading = readSettings(found, {
    name: 'CONFIG_FILE',
    schema: OperatorFileSchema,
    findProblems: (values, lineOf) => {
      const offer = { defaultModel, models: values.models };
      return findModelProblems(values, lineOf, { ...offer, usable: offeredModels(offer), prices: pricesOf(values) });
    },
  });
  if (reading.kind === 'broken') return { kind: 'broken', problems: reading.problems };
  const { set, parsed } = reading;
  // As written, because the schema's defaults are no bounds.
  const { ceilings, models: _models, prices: _prices, ...defaults } = set;
  const bounds = isRecord(ceilings) ? ceilings : {};
  const { models } = parsed;
  return { kind: 'values', values: { defaults, ceilings: bounds, defaultModel, models, prices: pricesOf(parsed) } };
}

function pricesOf({ prices }: z.infer<typeof OperatorFileSchema>): ReadonlyMap<string, ModelPrice> {
  const named = Object.entries(prices).map(
    ([model, { input, cached_input: cachedInput = input, output }]) => [model, { input, cachedInput, output }] as const,
  );
  return new Map(named);
}
