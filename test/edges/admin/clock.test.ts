import { describe, expect, it } from 'vitest';
import { allHeard, call, simulate, startAt } from '../../support/simulate.ts';
import { runAdmin, sayStub } from './running-admin.ts';

const minute = 60_000;

describe('the clock', () => {
  it('shows its mode and its time', async () => {
    const { ask, simulator } = await runAdmin();
    expect((await ask('GET', '/api/clock')).body).toEqual({
      mode: 'virtual',
      at: startAt,
      time: '2026-01-01T00:00:00.000Z',
      seq: simulator.head().seq,
    });
  });

  it.each([
    [{ advance: '1m30s' }, startAt + 90_000],
    [{ set: '2026-01-01T01:00:00+01:00' }, startAt],
    [{ set: '2026-01-01T00:05:00.250Z' }, startAt + 5 * minute + 250],
    [{ runTo: '2026-01-02T00:00:00z' }, startAt + 24 * 60 * minute],
  ])('is moved by %j', async (body, at) => {
    const { ask, simulator } = await runAdmin();
    const reply = await ask('POST', '/api/clock', { body });
    expect(reply.body).toMatchObject({ mode: 'virtual', at, seq: simulator.head().seq });
    expect(reply.headers['x-doubletake-entry']).toBe(String(simulator.head().seq));
  });

  it('lets happen what is due on its way, before it answers', async () => {
    const { ask, simulator } = await runAdmin({ stubs: [{ ...sayStub, output: { data: {}, delay: '1h' } }] });
    const { seq } = await call(simulator, 'Say', {});
    expect(await allHeard(simulator, seq)).toHaveLength(1);
    await ask('POST', '/api/clock', { body: { advance: '2h' } });
    expect((await allHeard(simulator, seq)).at(-1)).toEqual([0]);
  });

  it('does not go back', async () => {
    const { ask, simulator } = await runAdmin();
    const before = simulator.head().seq;
    const { status, body } = await ask('POST', '/api/clock', { body: { runTo: '2025-01-01T00:00:00Z' } });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'DT_CLOCK_REFUSED' });
    expect(simulator.head().seq).toBe(before);
  });

  it('that follows the wall clock is frozen before it is moved', async () => {
    const { ask } = await runAdmin({ simulator: await simulate([], { mode: 'system' }) });
    expect((await ask('POST', '/api/clock', { body: { advance: '1m' } })).status).toBe(409);
    expect((await ask('POST', '/api/clock', { body: { freeze: true } })).body).toMatchObject({
      mode: 'virtual',
    });
    expect((await ask('POST', '/api/clock', { body: { advance: '1m' } })).body).toMatchObject({
      at: startAt + minute,
    });
    expect((await ask('POST', '/api/clock', { body: { mode: 'auto' } })).body).toMatchObject({
      mode: 'auto',
    });
  });

  it.each([
    {},
    { advance: '1m', set: '2026-01-01T00:00:00Z' },
    { advance: 'soon' },
    { advance: 60 },
    { set: 'tomorrow' },
    { set: '2026-02-30T00:00:00Z' },
    { set: '2026-01-01' },
    { freeze: false },
    { mode: 'backwards' },
    { rewind: '1m' },
  ])('refuses %j', async (body) => {
    const { ask } = await runAdmin();
    const reply = await ask('POST', '/api/clock', { body });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ code: 'DT_REQUEST_INVALID', violations: [expect.anything()] });
  });
});
