// What bench/grpc.ts compares with: a grpc-js server as its documentation shows it, which echoes and keeps nothing.
//
//     node bench/bare-grpc-server.ts <greeter.proto>      prints the port when it listens

import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

interface Hello {
  readonly name: string;
}

const definition = loadPackageDefinition(loadSync(process.argv[2] ?? 'greeter.proto'));
// The shape that the file has; proto-loader types everything that it loads alike.
const { Greeter } = (
  definition as unknown as { bench: { v1: { Greeter: { service: Parameters<Server['addService']>[0] } } } }
).bench.v1;

const server = new Server();
server.addService(Greeter.service, {
  SayHello(call: ServerUnaryCall<Hello, { message: string }>, answer: sendUnaryData<{ message: string }>) {
    answer(null, { message: call.request.name });
  },
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  console.log(JSON.stringify({ grpc: `127.0.0.1:${port}` }));
});
