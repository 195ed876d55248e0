/** Names the reducers of this version: snapshots of others are ignored. A test sees that it follows the code. */
export const reducerDigest = '0000000000000000';
