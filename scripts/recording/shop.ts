import type { Recorder } from './recorder.ts';
import type { Recording } from './recording.ts';

/** The demo, by all that its stubs show: four kinds of call, effects, sessions, times, delays, error details. */
export const shop: Recording = {
  name: 'shop',
  async play(recorder) {
    await recorder.loadProtos('demo/protos');
    await recorder.loadStubFiles('demo/stubs');
    await askForProducts(recorder);
    await placeOrders(recorder);
    await watchStreams(recorder);
    await fillBaskets(recorder);
    await talk(recorder);
  },
};

async function askForProducts(recorder: Recorder): Promise<void> {
  const get = 'shop.v1.Catalogue/GetProduct';
  await recorder.call(get, { sku: 'mug-blue' });
  await recorder.call(get, { sku: 'mug-blue' }, { session: 'sale' });
  await recorder.call(get, { sku: 'mug-blue' }, { session: 'sale' });
  await recorder.call(get, { sku: 'mug-blue' }, { headers: [['X-Region', 'us-east']] });
  await recorder.call(get, { sku: 'tea-green' });
  await recorder.call(get, { sku: 'nothing' });
  await recorder.call(get, { sku: 'mug-secret' });
  await recorder.call(get, { sku: 'mug-secret' }, { headers: [['authorization', 'Bearer staff-only']] });
  await recorder.call(get, { sku: 'mug-secret' }, { headers: [['authorization', 'Bearer guessed']] });
}

async function placeOrders(recorder: Recorder): Promise<void> {
  const order_id = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
  const lines = [{ sku: 'mug-blue', quantity: 2 }];
  const [place, get, cancel] = ['PlaceOrder', 'GetOrder', 'CancelOrder'].map(
    (method) => `shop.v1.Orders/${method}`,
  ) as [string, string, string];
  await recorder.call(get, { order_id });
  await recorder.call(place, { order_id, customer: 'Ada', lines });
  await recorder.call(get, { order_id });
  await recorder.call(place, { order_id, customer: 'Nobody' });
  await recorder.call(place, { order_id, customer: 'Ada', lines, note: 'for her birthday' });
  await recorder.call(cancel, { order_id, reason: 'changed my mind' });
  await recorder.call(get, { order_id });
  await recorder.call(cancel, { order_id, reason: 'forget me' });
  await recorder.call(get, { order_id });
  await recorder.call(place, { order_id, customer: 'Flaky', lines });
  await recorder.pass(200);
  await recorder.call(place, { order_id, customer: 'Flaky', lines });
  // No UUID: the effect is refused, the answer is given.
  await recorder.call(place, { order_id: 'A-1', customer: 'Ada', lines });
}

async function watchStreams(recorder: Recorder): Promise<void> {
  const list = 'shop.v1.Catalogue/ListProducts';
  await recorder.call(list, { shelf: 'tea/green' });
  await recorder.pass(50);
  await recorder.call(list, { shelf: 'tea', tags: ['organic', 'tea'] });
  await recorder.pass(1_000);
  await recorder.call(list, { shelf: 'mugs' });
  await recorder.call(list, { shelf: 'hats' });

  const track = 'shop.v1.Orders/TrackParcel';
  await recorder.call(track, { order_id: 'whole' });
  await recorder.pass(2_000);
  const { seq: late } = await recorder.call(track, { order_id: 'too late' }, { timeoutMs: 700 });
  await recorder.pass(2_000);
  const { seq: unwanted } = await recorder.call(track, { order_id: 'unwanted' });
  await recorder.pass(600);
  await recorder.submit({ kind: 'CallCancelled', call: unwanted, reason: 'client' });
  // Both are over: what comes late is kept, and changes nothing.
  await recorder.submit({ kind: 'CallCancelled', call: late, reason: 'deadline' });
  await recorder.pass(2_000);
}

async function fillBaskets(recorder: Recorder): Promise<void> {
  const baskets = [
    ['mug-blue', 'tea-green'],
    ['mug-red', 'tea-black', 'tea-mint'],
    ['mug-blue', 'tea green'],
    [],
  ];
  for (const skus of baskets) {
    const basket = await recorder.converse('shop.v1.Orders/FillBasket');
    for (const [index, sku] of skus.entries()) await basket.say({ sku, quantity: index + 1 });
    await basket.finish();
  }
  const given = await recorder.converse('shop.v1.Orders/FillBasket', { timeoutMs: 100 });
  await given.say({ sku: 'mug-blue', quantity: 1 });
  await recorder.pass(100);
}

async function talk(recorder: Recorder): Promise<void> {
  const chat = await recorder.converse('shop.v1.Support/Chat');
  await chat.say({ from: 'Ada', text: 'hello' });
  // Another talk at the same time, which says one message more than the script has.
  const longer = await recorder.converse('shop.v1.Support/Chat', { session: 'second' });
  await longer.say({ from: 'Bob', text: 'oh hello' });
  await chat.say({ from: 'Ada', text: 'my mug is CRACKED' });
  await chat.finish();
  await longer.say({ from: 'Bob', text: 'it is broken' });
  await longer.say({ from: 'Bob', text: 'are you there?' });

  const echo = await recorder.converse('shop.v1.Support/Echo');
  await echo.say({ from: 'Ada', text: 'straße, ﬁn, ΟΔΟΣ, ı' });
  await echo.say({ from: 'Ada', text: '' });
  const stopped = await recorder.converse('shop.v1.Support/Echo');
  await stopped.say({ from: 'Ada', text: 'is anybody in?' });
  await stopped.cancel('shutdown');
}
