import { formatList } from '../../lib/format.ts';
import type { LineOf, SettingsProblem } from './settings-file.ts';

/** The operator's settings about models. */
export type ModelOffer = {
  /** `OPENAI_MODEL`; null where it is not known, so that names of models cannot be checked. */
  readonly defaultModel: string | null;
  /** Those that a repository can name beside it. */
  readonly models: readonly string[];
};

/** The model to use for a run that began with `model`: the operator's default where it is no longer offered. */
export function modelInForce(offer: ModelOffer, model: string | null): string | null {
  const { defaultModel } = offer;
  return model === null || (defaultModel !== null && !offeredModels(offer).includes(model)) ? defaultModel : model;
}

export function offeredModels({ defaultModel, models }: ModelOffer): readonly string[] {
  return [...new Set([...(defaultModel === null ? [] : [defaultModel]), ...models])];
}

/** The values of either file that are about models. */
type ModelValues = {
  readonly model?: string | undefined;
  readonly limits?: CostLimit | undefined;
  readonly ceilings?: { readonly limits?: CostLimit | undefined } | undefined;
};

type CostLimit = { readonly cost_usd?: number | undefined };

/** A model that the operator does not offer, and each limit of cost where a model that can be used has no price. */
export function findModelProblems(
  { model, limits, ceilings }: ModelValues,
  lineOf: LineOf,
  offer: ModelOffer & { readonly usable: readonly string[]; readonly prices: ReadonlyMap<string, unknown> },
): readonly SettingsProblem[] {
  const offered = offeredModels(offer);
  if (offer.defaultModel === null) return [];
  if (model !== undefined && !offered.includes(model)) {
    const message = `model must be one that the operator allows (${listModels(offered)}), not ${JSON.stringify(model)}`;
    return [{ line: lineOf(['model']), message }];
  }
  const unpriced = offer.usable.filter((one) => !offer.prices.has(one));
  if (unpriced.length === 0) return [];
  const places = [
    ...(limits?.cost_usd === undefined ? [] : [['limits', 'cost_usd']]),
    ...(ceilings?.limits?.cost_usd === undefined ? [] : [['ceilings', 'limits', 'cost_usd']]),
  ];
  return places.map((path) => ({
    line: lineOf(path),
    message: `${path.join('.')} needs a price of each model, and the operator’s prices have none of ${listModels(unpriced)}`,
  }));
}

const MAX_MODELS_NAMED = 20;

function listModels(models: readonly string[]): string {
  const named = models.slice(0, MAX_MODELS_NAMED).map((model) => JSON.stringify(model));
  const remaining = models.length - named.length;
  return formatList([...named, ...(remaining > 0 ? [`${remaining} more`] : [])]);
}
