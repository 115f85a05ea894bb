import { z } from 'zod';
import type { ModelPrice } from '../state/spending.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { type FlatValues, flattenValues } from './strictness.ts';
import { findOperatorModelProblems } from './models.ts';
import { readValues } from './read-values.ts';
import { OperatorFileSchema } from './settings-schema.ts';

/** The content of `CONFIG_FILE`. */
export type OperatorSettings = {
  /** Replace the built-in defaults of a repository's settings. */
  readonly defaults: FlatValues;
  /** Bounds that a repository can only tighten. */
  readonly ceilings: FlatValues;
  /** `OPENAI_MODEL`; null where it is not known, so that names of models cannot be checked. */
  readonly defaultModel: string | null;
  /** The models that a repository can name, beside `OPENAI_MODEL`. */
  readonly models: readonly string[];
  /** By model. */
  readonly prices: ReadonlyMap<string, ModelPrice>;
};

/** Without a `CONFIG_FILE`. */
export const NO_OPERATOR_SETTINGS: OperatorSettings = {
  defaults: new Map(),
  ceilings: new Map(),
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
  const reading = readValues(found, {
    name: 'CONFIG_FILE',
    schema: OperatorFileSchema,
    findProblems: (values, source) => findOperatorModelProblems(values, source, defaultModel),
  });
  if (reading.kind === 'broken') return { kind: 'broken', problems: reading.problems };
  const { set, parsed } = reading.values;
  const { ceilings = {}, models: _models, prices: _prices, ...defaults } = set;
  const prices = Object.entries(parsed.prices).map(
    ([model, { input, cached_input: cachedInput = input, output }]) => [model, { input, cachedInput, output }] as const,
  );
  return {
    kind: 'values',
    values: {
      defaults: flattenValues(defaults),
      ceilings: flattenValues(z.record(z.string(), z.unknown()).parse(ceilings)),
      defaultModel,
      models: parsed.models,
      prices: new Map(prices),
    },
  };
}
