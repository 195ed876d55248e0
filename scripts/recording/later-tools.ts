import type { JsonObject } from '../../src/core/kernel/json.ts';
import type { StubDefinition } from '../../src/core/services/rpc/stub.ts';
import type { Recording } from './recording.ts';

const service = 'shop.v1.Orders';

/** What stub files of later tools of the family hold, taken with `--compat gripmock`. */
export const laterTools: Recording = {
  name: 'later-tools',
  compat: ['gripmock'],
  async play(recorder) {
    await recorder.loadProtos('demo/protos');
    await recorder.loadStubs(stubs);
    await recorder.call(`${service}/TrackParcel`, { order_id: 'own times' });
    await recorder.pass(10_000);
    await recorder.call(`${service}/TrackParcel`, { order_id: 'fails' });
    await recorder.pass(10_000);
    await recorder.call(`${service}/GetOrder`, { order_id: '1' });
  },
};

const stubs: readonly StubDefinition[] = [
  parcel('own times', [{ what: 'a' }, { what: 'b', _gripmock: { delay: '3s' } }, { what: 'c' }]),
  parcel('fails', [{ what: 'a' }, { _gripmock: { error: 'lost', code: 15 } }, { what: 'never' }]),
  { service, method: 'GetOrder', output: { data: { orderId: '1' }, trailers: { 'x-trail': '{{uuid}}' } } },
];

function parcel(order_id: string, stream: readonly JsonObject[]): StubDefinition {
  return { service, method: 'TrackParcel', input: { equals: { order_id } }, output: { delay: '1s', stream } };
}
