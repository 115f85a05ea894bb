import { afterEach, expect, it } from 'vitest';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { dropWebhooks } from '../support/drop-webhooks.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';

const stage = stageForAll();

afterEach(() => stage().github.deliveries.intercept(undefined));

const sweep = (): Promise<void> => stage().later(301);

const NOT_ARRIVING = 'webhooks do not arrive, they are read from the delivery log';

const ARRIVING = 'webhooks arrive again';

/** The lines since `from` about the arrival of webhooks. */
function linesSince(from: number): readonly Readonly<Record<string, unknown>>[] {
  const found = stage().logged.slice(from).map(parseJson).filter(isRecord);
  return found.filter(({ msg }) => msg === NOT_ARRIVING || msg === ARRIVING);
}

it('GitHub cannot reach the webhook’s URL: the answer is minutes late, and a line says why (O4, O13)', async () => {
  const { ana, bot, model } = await stage().tell();
  await sweep();
  // GitHub's log has whole seconds, so a webhook in the second of the scan would count as an earlier one.
  await stage().later(1);
  const before = stage().logged.length;
  stage().github.deliveries.intercept(() => 'drop');
  model.proposes(BIGINT);
  ana.person.says('/countersign use bigint');
  await stage().settle();
  expect(bot.comments()).toEqual([]);
  await sweep();
  expect(bot.proposals()).toHaveLength(1);
  expect(linesSince(before)).toMatchObject([
    {
      level: 40,
      msg: NOT_ARRIVING,
      status: 'failed to connect to host',
      fix: expect.stringContaining('Check the webhook URL’s host and port'),
    },
  ]);
  await sweep();
  const during = stage().logged.length;
  stage().github.deliveries.intercept(undefined);
  await ana.says('/status');
  await ana.says('/status');
  await sweep();
  expect(linesSince(during)).toMatchObject([{ level: 30, msg: ARRIVING, ms: expect.any(Number) }]);
  const [again] = linesSince(during);
  expect(Number(again?.['ms'])).toBeGreaterThan(600_000);
});

it('one lost webhook among others is no such line (O4)', async () => {
  const { ana } = await stage().tell();
  await sweep();
  const before = stage().logged.length;
  dropWebhooks(stage(), () => ana.person.says('/countersign stop'));
  await ana.says('Hello!');
  await sweep();
  expect(linesSince(before)).toEqual([]);
});

it('webhooks lost while the server was down are no such line (O4)', async () => {
  const { ana, bot } = await stage().tell();
  await sweep();
  const before = stage().logged.length;
  dropWebhooks(stage(), () => ana.person.says('/countersign help'));
  await stage().restart();
  await stage().settle();
  expect(bot.answers()).toHaveLength(1);
  expect(linesSince(before)).toEqual([]);
});
