// Sabaki's own controller plays and analyses with an engine: node drive.js PROGRAM ARGUMENT...
// It prints a line of JSON with what came back.  npm install @sabaki/gtp is wanted, anywhere node looks.
const {Controller, ControllerStateTracker, Command} = require('@sabaki/gtp')

async function main() {
  const [program, ...args] = process.argv.slice(2)
  const engine = new Controller(program, args)
  const tracker = new ControllerStateTracker(engine)
  const ask = async (line, listen) => (await engine.sendCommand(Command.fromString(line), listen))
  engine.start()

  const told = {}
  told.name = (await ask('name')).content
  told.commands = (await ask('list_commands')).content.split('\n')
  told.unknown = (await ask('frobnicate')).error
  await tracker.sync({
    komi: 6.5,
    boardsize: [5, 5],
    history: [
      {name: 'play', args: ['B', 'C3']},
      {name: 'play', args: ['W', 'C2']}
    ]
  })
  told.genmove = (await ask('genmove B')).content

  // As Sabaki's EngineSyncer does it: analysis runs until protocol_version is sent.
  const infos = []
  let stopped = null
  const analysis = ask('analyze W 5', ({line}) => {
    if (!line.startsWith('info ')) return
    infos.push(line)
    if (infos.length === 3) {
      stopped = Date.now()
      ask('protocol_version').then(response => (told.protocol = response.content))
    }
  })
  told.analysis = (await analysis).content.split('\n').length
  told.milliseconds = Date.now() - stopped
  told.winrate = infos[2].match(/winrate (\S+)/)[1]

  const last = []
  const played = await ask('genmove_analyze W 10', ({line}) => last.push(line))
  told.played = last.find(line => line.startsWith('play '))
  told.error = played.error
  await engine.stop()
  console.log(JSON.stringify(told))
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
