import type { Recording } from './recording.ts';
import type { Recorder } from './recorder.ts';

const track = 'shop.v1.Orders/TrackParcel';

/** A wall clock that goes on, stands still and goes back; then a clock that moves when told, and one that jumps. */
export const clocks: Recording = {
  name: 'clocks',
  clock: 'system',
  async play(recorder, wall) {
    await recorder.loadProtos('demo/protos');
    await recorder.loadStubFiles('demo/stubs');
    await recorder.call(track, { order_id: '1' });
    for (const ms of [500, 100, 0, 399, 1, -3_600_000, 3_600_500, 2_000]) {
      wall.pass(ms);
      await recorder.call('shop.v1.Orders/GetOrder', { order_id: String(ms) });
    }
    await recorder.call(track, { order_id: '2' });
    await recorder.simulator.setClockMode('virtual');
    wall.pass(86_400_000);
    await untilDone(recorder);
    await recorder.simulator.setClockMode('auto');
    await recorder.call(track, { order_id: '3' });
    await recorder.call(track, { order_id: '4' }, { timeoutMs: 1_250 });
    await recorder.call('shop.v1.Catalogue/ListProducts', { shelf: 'tea' });
  },
};

/** Moves the clock by amounts that fall before, on and after what is due. */
async function untilDone(recorder: Recorder): Promise<void> {
  for (const ms of [0, 499, 1, 501, 0, 5_000]) await recorder.pass(ms);
}
