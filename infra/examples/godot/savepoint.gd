class_name Savepoint
extends Node
## Calls a Savepoint server from Godot 4. Add it as a node, or as an autoload, and `await` its functions.
##
## [codeblock]
## await savepoint.sign_in()
## var dug := await savepoint.dig("Ada")
## if dug.ok: print(dug.body.gold)
## else: print(dug.code, ": ", dug.message)
## [/codeblock]

## What this script asks for: name, method, path. Every request below is one of these rows.
const REQUESTS := {
	"register": ["POST", "/v3/guests/{project}/register"],
	"dig": ["POST", "/v3/endpoints/{project}/dig"],
	"upgrade": ["POST", "/v3/endpoints/{project}/upgrade"],
	"profile": ["GET", "/v3/storage/{project}/players/{player}"],
	"richest": ["GET", "/v3/queries/{project}/richest?limit=10&platformId={player}"],
}

## What every request says of itself; a write adds its Idempotency-Key.
const HEADERS := {
	"x-public-key": "{key}",
	"x-platform-id": "{player}",
	"x-platform-token": "{token}",
	"x-ns-client-type": "game",
	"content-type": "application/json",
}

const TRIES := 4
## Whoever has what lies in this file is the player.
const SECRET_FILE := "user://savepoint_guest.txt"

@export var url := "http://127.0.0.1:8080"
@export var project := ""
@export var public_key := ""
## Who plays, and what proves it: `sign_in` fills both in. With a login of your own, set them yourself.
var player := ""
var token := ""


## Makes this device a player: it makes a secret at its first start, keeps it, and the server makes a player of it, the same one each time: {player}.
func sign_in() -> Dictionary:
	if not FileAccess.file_exists(SECRET_FILE):
		var random := Marshalls.raw_to_base64(Crypto.new().generate_random_bytes(32))
		var made := FileAccess.open(SECRET_FILE, FileAccess.WRITE)
		made.store_string("ns_guest_" + random.replace("+", "-").replace("/", "_").replace("=", ""))
		made.close()
	token = FileAccess.get_file_as_string(SECRET_FILE)
	var registered := await _send("register", {})
	if registered.ok:
		player = registered.body.player
	return registered


## Finds gold: {found, gold}.
func dig(digger_name: String) -> Dictionary:
	return await _send("dig", {"input": {"name": digger_name}})


## Buys the next tool: {tool, gold}, or the code TOO_POOR.
func upgrade() -> Dictionary:
	return await _send("upgrade", {"input": {}})


## The player's own document: {name, gold, tool}.
func profile() -> Dictionary:
	return await _send("profile")


## The leaderboard, with the player's own row: {entries, player}.
func richest() -> Dictionary:
	return await _send("richest")


## Sends a request, again while nobody answers. A write has one key for all its tries, so it happens once.
## Answers {ok, status, body, code, message}.
func _send(request_name: String, body: Variant = null) -> Dictionary:
	var request: Array = REQUESTS[request_name]
	var is_write: bool = request[0] == "POST"
	var headers := PackedStringArray()
	for header: String in HEADERS:
		headers.append("%s: %s" % [header, _filled(HEADERS[header])])
	if is_write:
		headers.append("idempotency-key: %s" % Crypto.new().generate_random_bytes(16).hex_encode())
	var method := HTTPClient.METHOD_POST if is_write else HTTPClient.METHOD_GET
	var text := "" if body == null else JSON.stringify(body)
	var answer := {}
	for attempt in TRIES:
		answer = await _attempt(url + _filled(request[1]), headers, method, text)
		if answer.status != 0 and answer.status != 429 and answer.status < 502:
			break
		await get_tree().create_timer(0.3 * pow(2, attempt) * randf_range(0.5, 1.5)).timeout
	return answer


func _attempt(address: String, headers: PackedStringArray, method: HTTPClient.Method, text: String) -> Dictionary:
	var http := HTTPRequest.new()
	http.timeout = 15.0
	add_child(http)
	if http.request(address, headers, method, text) != OK:
		http.queue_free()
		return {"ok": false, "status": 0, "body": null, "code": "NETWORK", "message": "%s is no address" % address}
	# result, status, headers, bytes
	var came: Array = await http.request_completed
	http.queue_free()
	if came[0] != HTTPRequest.RESULT_SUCCESS:
		return {"ok": false, "status": 0, "body": null, "code": "NETWORK", "message": "no answer"}
	var answered: Variant = JSON.parse_string((came[3] as PackedByteArray).get_string_from_utf8())
	var is_object := answered is Dictionary
	var is_ok: bool = came[1] < 300 and not (is_object and answered.get("ok", true) == false)
	var error: Variant = answered.get("error", {}) if is_object else {}
	var code: String = error.get("code", "HTTP_%d" % came[1]) if error is Dictionary else str(error)
	var message: String = str(answered.get("message", "")) if is_object else ""
	return {"ok": is_ok, "status": came[1], "body": answered, "code": "" if is_ok else code, "message": message}


func _filled(text: String) -> String:
	return text.format({"project": project, "player": player, "token": token, "key": public_key})
