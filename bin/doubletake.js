#!/usr/bin/env node
// The start of every command. It must parse on any Node, old ones too, and load nothing that needs a new one, before
// it has said which Node is needed: so no static import, no syntax that is younger than `import()`.

var oldest = [22, 18];
var exitCouldNotStart = 5;

function isOldEnough(version) {
  var parts = version.split('.').map(Number);
  return parts[0] > oldest[0] || (parts[0] === oldest[0] && parts[1] >= oldest[1]);
}

function refuse() {
  process.stderr.write(
    'DT_NODE_TOO_OLD: doubletake needs Node.js ' +
      oldest.join('.') +
      ' or later, and this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n' +
      'Try: install a newer Node.js, or in a checkout run it through npm: npx doubletake, npm start\n',
  );
  process.exitCode = exitCouldNotStart;
}

if (isOldEnough(process.versions.node)) {
  import('./start.js').catch(function (error) {
    process.stderr.write((error && error.stack ? error.stack : String(error)) + '\n');
    process.exitCode = exitCouldNotStart;
  });
} else {
  refuse();
}
